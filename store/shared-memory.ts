const FEWEST_BYTES = 4096

/**
 * Memory that other threads see. What is given back is used again: new memory is zeroed, and its pages are fetched one by
 * one, which takes longer than to fill it.
 */
export class SharedMemory {
  /** By length. */
  readonly #free = new Map<number, Buffer[]>()

  /** At least as many bytes, with anything in them. */
  take(bytes: number): Buffer {
    const length = FEWEST_BYTES * 2 ** Math.max(0, Math.ceil(Math.log2(bytes / FEWEST_BYTES)))
    return this.#free.get(length)?.pop() ?? sharedBytes(length)
  }

  /** Takes back the whole memory of which this is a part. Nobody may read it any more. */
  giveBack({ buffer }: Uint8Array): void {
    const free = this.#free.get(buffer.byteLength)
    if (free === undefined) this.#free.set(buffer.byteLength, [Buffer.from(buffer)])
    else free.push(Buffer.from(buffer))
  }
}

export function sharedBytes(length: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(length))
}
