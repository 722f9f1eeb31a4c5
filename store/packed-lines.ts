import { type SharedMemory, sharedBytes } from './shared-memory.ts'

const NEWLINE = '\n'.charCodeAt(0)
const NOTHING = Buffer.alloc(0)

/**
 * Lines of a run log as UTF-8 in one piece of memory, each with its end. The memory is shared: another thread gets them
 * without a copy.
 */
export class PackedLines {
  readonly #memory: SharedMemory
  readonly #expected: number
  #data: Buffer = NOTHING
  /** How much of it is filled. */
  bytes = 0

  /** `expected`: how many bytes it will probably hold. */
  constructor(memory: SharedMemory, expected: number) {
    this.#memory = memory
    this.#expected = expected
  }

  /** Takes a copy: a line that is read from a file holds the part of the file that was read with it. */
  add(line: Buffer): void {
    const end = this.bytes + line.length + 1
    if (end > this.#data.length) this.#grow(Math.max(end, this.#expected))
    line.copy(this.#data, this.bytes)
    this.#data[end - 1] = NEWLINE
    this.bytes = end
  }

  /** How much memory it takes. */
  get capacity(): number {
    return this.#data.length
  }

  /** Part of memory that whoever has read it gives back. */
  packed(): Uint8Array {
    return this.#data.subarray(0, this.bytes)
  }

  /** Gives its memory back, and is empty. */
  drop(): void {
    if (this.#data.length > 0) this.#memory.giveBack(this.#data)
    this.#data = NOTHING
    this.bytes = 0
  }

  #grow(bytes: number): void {
    const grown = this.#memory.take(bytes)
    this.#data.copy(grown, 0, 0, this.bytes)
    if (this.#data.length > 0) this.#memory.giveBack(this.#data)
    this.#data = grown
  }
}

export function packLines(lines: readonly string[]): Uint8Array {
  const text = lines.map((line) => `${line}\n`).join('')
  const data = sharedBytes(Buffer.byteLength(text))
  data.write(text)
  return data
}

export function unpackLines({ buffer, byteOffset, byteLength }: Uint8Array): string[] {
  const data = Buffer.from(buffer, byteOffset, byteLength)
  const lines: string[] = []
  // One by one: a large string is memory of its own, which costs more than to find the ends.
  for (let start = 0, end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
    lines.push(data.toString('utf8', start, end))
    start = end + 1
  }
  return lines
}
