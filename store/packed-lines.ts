const NEWLINE = '\n'.charCodeAt(0)
const FIRST_BYTES = 4096
const MOST_EXPECTED_BYTES = 64 * 1024

/**
 * Lines of a run log as UTF-8 in one piece of memory, each with its end. The memory is shared: another thread gets them
 * without a copy.
 */
export class PackedLines {
  readonly #expected: number
  #data = sharedBytes(0)
  /** How much of it is filled. */
  bytes = 0

  /** `expected`: how many bytes it will probably hold. */
  constructor(expected: number) {
    this.#expected = Math.max(FIRST_BYTES, Math.min(expected, MOST_EXPECTED_BYTES))
  }

  /** Takes a copy: a line that is read from a file holds the part of the file that was read with it. */
  add(line: Buffer): void {
    const end = this.bytes + line.length + 1
    if (end > this.#data.length) {
      const grown = sharedBytes(Math.max(end, 2 * this.#data.length, this.#expected))
      this.#data.copy(grown, 0, 0, this.bytes)
      this.#data = grown
    }
    line.copy(this.#data, this.bytes)
    this.#data[end - 1] = NEWLINE
    this.bytes = end
  }

  /** How much memory it takes. */
  get capacity(): number {
    return this.#data.length
  }

  packed(): Uint8Array {
    return this.#data.subarray(0, this.bytes)
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

function sharedBytes(length: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(length))
}
