import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../store/index.ts'
import { BINARY, handspan } from '../cli/command.ts'
import { run } from '../store/processes.ts'
import { logsOf, newFolder, post, startServer } from './serving.ts'

type Server = { url: string; child: ChildProcess; ended: Promise<number | null>; said: string[] }

/** The real command in a process of its own, listening. Killed after the test. */
async function serveCommand(directory: string, ...args: string[]): Promise<Server> {
  const child = spawn(process.execPath, [BINARY, 'serve', '--dir', directory, '--port', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const said: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      said.push(line)
      const found = /listening at (http:\S+),/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`it ended: ${said.join('\n')}`)))
  })
  return { url, child, ended, said }
}

/** How many events the database holds, asked of whoever owns it. */
async function eventsIn(directory: string): Promise<number> {
  const store = await openStore(directory)
  await store.ingest()
  const [row] = await store.query('SELECT count(*) AS n FROM events')
  await store.close()
  return row!.n as number
}

const note = (seq: number) => ({ run: 'r', seq, kind: 'note', writer: 'w' })

describe('the command', () => {
  it('loses nothing it has acknowledged when it is killed, and stores nothing twice', async () => {
    const directory = newFolder()
    let acknowledged = 0
    for (let kills = 0; kills < 3; kills++) {
      const server = await serveCommand(directory)
      const sending = (async () => {
        for (;;) {
          // What was under way at the last kill is sent again.
          const answer = await post(
            `${server.url}/v1/logs`,
            logsOf([note(acknowledged), note(acknowledged + 1)]),
          ).catch(() => undefined)
          if (answer?.status !== 200) return
          acknowledged += 2
        }
      })()
      await new Promise((resolve) => setTimeout(resolve, 300))
      server.child.kill('SIGKILL')
      await sending
      expect(await server.ended).toBe(null)
    }
    expect(acknowledged).toBeGreaterThan(6)
    const stored = await eventsIn(directory)
    // A request may have reached the disk without its answer having reached the sender.
    expect(stored).toBeGreaterThanOrEqual(acknowledged)
    expect(stored).toBeLessThanOrEqual(acknowledged + 2)
  })

  it('answers queries while it runs, beside a second one on the same directory, and what both got is stored', async () => {
    const directory = newFolder()
    const [first, second] = [await serveCommand(directory), await serveCommand(directory)]
    expect((await post(`${first.url}/v1/logs`, logsOf([note(1)]))).status).toBe(200)
    expect((await post(`${second.url}/v1/logs`, logsOf([note(2)]))).status).toBe(200)
    const { stdout } = await handspan([
      'sql',
      '--dir',
      directory,
      '--json',
      'SELECT count(*) AS n FROM events',
    ])
    expect(JSON.parse(stdout).rows).toEqual([{ n: 2 }])
    // The owner dies; the other one takes the database over.
    first.child.kill('SIGKILL')
    await first.ended
    expect((await post(`${second.url}/v1/logs`, logsOf([note(3)]))).status).toBe(200)
    expect(await eventsIn(directory)).toBe(3)
  })

  it('takes what comes while another program has the database, and stores it afterwards', async () => {
    const directory = newFolder()
    expect(await eventsIn(directory)).toBe(0)
    const holder = await run('hold', directory)
    await holder.next()
    const server = await startServer({ directory })
    expect((await post(`${server.url}/v1/logs`, logsOf([note(1)]))).status).toBe(200)
    expect(server.report().database.events).toBe(0)
    await holder.kill()
    await server.ready
    expect(await eventsIn(directory)).toBe(1)
  })

  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)('at %s ends what was begun and exits with %d', async (signal, code) => {
    const directory = newFolder()
    const server = await serveCommand(directory)
    // A body whose second half comes after the signal.
    let more: ReadableStreamDefaultController<Uint8Array> | undefined
    const text = logsOf([note(1)])
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(text.slice(0, 50)))
        more = controller
      },
    })
    const headers = { 'content-type': 'application/json' }
    const sending = fetch(`${server.url}/v1/logs`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers,
    } as RequestInit)
    await new Promise((resolve) => setTimeout(resolve, 300))
    server.child.kill(signal)
    await new Promise((resolve) => setTimeout(resolve, 100))
    more!.enqueue(Buffer.from(text.slice(50)))
    more!.close()
    const answer = await sending
    // Closed with the answer: a connection kept open would keep the server.
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    expect(await server.ended).toBe(code)
    expect(server.said.at(-1)).toMatch(/^stopped; received 1 event, 0 spans/)
    expect(await eventsIn(directory)).toBe(1)
  })

  it('says what keeps it from starting, with code 2', async () => {
    const directory = newFolder()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = await handspan(['serve', '--dir', directory, '--port', String(port)])
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('something else listens there')])
    writeFileSync(
      join(directory, 'handspan.duckdb'),
      'this is no database, and it is long enough to be looked at',
    )
    const foreign = await handspan(['serve', '--dir', directory, '--port', '0'])
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('is not a DuckDB database')])
    const open = await handspan(['serve', '--dir', directory, '--port', '0', '--host', '0.0.0.0'], {
      env: { HANDSPAN_TOKEN: '' },
    })
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('there is no token')])
  })
})

const python = (() => {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 8)'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!python)('the sender in plain Python', () => {
  it('waits for the server, and what it sent is judged', async () => {
    const directory = newFolder()
    // Nobody listens at first: the port is known from a server that has ended.
    const before = await serveCommand(directory)
    before.child.kill('SIGTERM')
    await before.ended
    const sender = spawn('python3', [join(import.meta.dirname, '../../examples/python_sender.py')], {
      env: {
        ...process.env,
        OTEL_EXPORTER_OTLP_ENDPOINT: before.url,
        HANDSPAN_TOKEN: 'a-token-of-some-length',
      },
    })
    const out: string[] = []
    sender.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
    const sent = new Promise((resolve) => sender.once('close', resolve))
    await new Promise((resolve) => setTimeout(resolve, 500))
    process.env.HANDSPAN_TOKEN = 'a-token-of-some-length'
    onTestFinished(() => {
      delete process.env.HANDSPAN_TOKEN
    })
    await serveCommand(directory, '--port', new URL(before.url).port)
    expect(await sent).toBe(0)
    const { stdout } = await handspan(['findings', '--dir', directory, '--json'])
    const found = JSON.parse(stdout).findings as { run: string; check: string; subject: string }[]
    expect(found.map(({ run, check }) => [run, check])).toContainEqual([
      out.join('').trim(),
      'op-in-doubt-key-missing',
    ])
  })
})
