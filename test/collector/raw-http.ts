import { createConnection } from 'node:net'

/** One answer on a raw connection. */
export type RawAnswer = { status: number; type: string }

/** What came back until the server closed the connection. `cut`: it was still open after so long. */
export type Exchange = { answers: RawAnswer[]; cut: boolean }

/**
 * Sends bytes as they are, one piece after the other, and collects what comes back. `halfClose` ends the sending side;
 * otherwise the connection stays open until the server closes it.
 */
export function exchange(
  port: number,
  pieces: readonly (Buffer | string)[],
  options: { halfClose?: boolean; patience?: number } = {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true })
    const end = (cut: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ answers: answersIn(Buffer.concat(chunks).toString('latin1')), cut })
    }
    const timer = setTimeout(() => end(true), options.patience ?? 10_000)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => end(false))
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return
        socket.write(piece)
        if (pieces.length > 1) await new Promise((next) => setImmediate(next))
      }
      if (options.halfClose) socket.end()
    })
  })
}

function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest !== ''; ) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r]*((?:\r\n[^\r]+)*)\r\n\r\n/.exec(rest)
    if (head === null) break
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head[2]!)?.[1]?.trim() ?? ''
    if (head[1] !== '100') answers.push({ status: Number(head[1]), type: header('content-type') })
    rest = rest.slice(head[0].length + Number(header('content-length') || 0))
  }
  return answers
}

/** A request with its head; `content-length` is that of the body unless a header says otherwise. */
export function rawRequest(
  line: string,
  headers: Record<string, string>,
  body: Buffer | string = '',
): Buffer {
  const all: Record<string, string> = {
    host: 'localhost',
    connection: 'close',
    ...('transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'), Buffer.from(body)])
}
