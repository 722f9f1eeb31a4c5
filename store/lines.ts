import { isUtf8 } from 'node:buffer'

/** Where a line stands, and its length in the file. `tooLong`: over the limit, then only its beginning is there. */
type Place = { bytes: number; offset: number; number: number; tooLong?: boolean }

/**
 * One line of a file. It is kept as bytes: made a string for each time that it is read, since many strings that live for a
 * while keep the garbage collector busier than anything that is done with them.
 */
export class Line {
  /** UTF-8. */
  readonly data: Buffer
  readonly bytes: number
  readonly offset: number
  readonly number: number
  readonly tooLong: boolean

  constructor(data: Buffer, { bytes, offset, number, tooLong = false }: Place) {
    this.data = data
    this.bytes = bytes
    this.offset = offset
    this.number = number
    this.tooLong = tooLong
  }

  /** A line that stands in no file. */
  static of(text: string, number = 0): Line {
    const data = Buffer.from(text)
    return new Line(data, { bytes: data.length, offset: 0, number })
  }

  get text(): string {
    return this.data.toString('utf8')
  }
}

/** Some lines in their order, and where the next one begins: the offset in bytes and the number of the line. */
export type LineBatch = { lines: Line[]; next: Position }

/** A place between two lines: bytes from 0, lines from 1. */
export type Position = { offset: number; number: number }

/** What lines are read from: a file, or anything that is read in its way. */
export type ByteSource = {
  read(chunk: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
}

/** A line over this is refused: it could not be parsed within a sane amount of memory. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024

const CHUNK_BYTES = 1024 * 1024
const BATCH_BYTES = 8 * 1024 * 1024
/** Short, so that what follows on it begins soon; each one after it may be twice as long. */
const FIRST_BATCH_BYTES = 1024 * 1024
const BATCH_LINES = 20_000
/** How much of a refused line is kept. */
const KEPT_BYTES = 4096

/**
 * Reads the complete lines of a file from a position on, in batches, holding one batch and one line in memory.
 * With `final`, the end of the file ends the last line; without it, an unfinished line waits for its rest.
 * Blank lines are passed over but counted.
 */
export async function* readLines(
  file: ByteSource,
  from: Position,
  options: { final: boolean },
): AsyncGenerator<LineBatch> {
  let position = from.offset
  let lineStart = from.offset
  let number = from.number
  let parts: Buffer[] = []
  let partBytes = 0
  let lines: Line[] = []
  let batchBytes = 0
  let mostBytes = FIRST_BATCH_BYTES

  const finish = (rest: Buffer, newline: number) => {
    const bytes = partBytes + rest.length
    const buffer = parts.length === 0 ? rest : Buffer.concat([...parts, rest])
    const line = lineOf(buffer, { bytes, offset: lineStart, number })
    if (line !== undefined) {
      lines.push(line)
      batchBytes += bytes
    }
    lineStart += bytes + newline
    number += 1
    parts = []
    partBytes = 0
  }

  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) break
    position += bytesRead
    const data = chunk.subarray(0, bytesRead)
    let start = 0
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      finish(data.subarray(start, end), 1)
      start = end + 1
    }
    if (start < data.length) {
      // Past the limit only the length is counted: a line without an end must not fill the memory.
      const rest = data.subarray(start)
      if (partBytes <= MAX_LINE_BYTES) parts.push(rest)
      else if (parts.length > 1) parts = [Buffer.from(parts[0]!.subarray(0, KEPT_BYTES))]
      partBytes += rest.length
    }
    if (batchBytes >= mostBytes || lines.length >= BATCH_LINES) {
      yield { lines, next: { offset: lineStart, number } }
      mostBytes = Math.min(2 * mostBytes, BATCH_BYTES)
      lines = []
      batchBytes = 0
    }
  }
  if (options.final && partBytes > 0) finish(Buffer.alloc(0), 0)
  if (lineStart > from.offset) yield { lines, next: { offset: lineStart, number } }
}

function lineOf(buffer: Buffer, place: Place): Line | undefined {
  if (place.bytes > MAX_LINE_BYTES) {
    return new Line(wellFormed(buffer.subarray(0, KEPT_BYTES)), { ...place, tooLong: true })
  }
  // A byte order mark at the start of a file and the carriage return of CRLF belong to no event.
  const start = place.offset === 0 && buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? 3 : 0
  const end = buffer.at(-1) === 13 ? buffer.length - 1 : buffer.length
  const line = new Line(wellFormed(buffer.subarray(start, end)), place)
  return line.data[0] === BRACE || /\S/.test(line.text) ? line : undefined
}

/** How an event begins, which then is no blank line. */
const BRACE = '{'.charCodeAt(0)

/** What is no UTF-8 becomes U+FFFD. */
function wellFormed(data: Buffer): Buffer {
  return isUtf8(data) ? data : Buffer.from(data.toString('utf8'))
}
