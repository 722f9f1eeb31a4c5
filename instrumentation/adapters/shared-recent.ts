/** What was kept last, by name: a program may run for months, so the oldest goes when there are too many. */
export class Recent<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #most: number

  constructor(most = 256) {
    this.#most = most
  }

  get(name: K): V | undefined {
    return this.#entries.get(name)
  }

  /** Keeps it as the latest. */
  set(name: K, value: V): void {
    this.#entries.delete(name)
    this.#entries.set(name, value)
    const oldest = this.#entries.keys().next()
    if (this.#entries.size > this.#most && !oldest.done) this.#entries.delete(oldest.value)
  }

  /** Gives it and forgets it. */
  take(name: K): V | undefined {
    const found = this.#entries.get(name)
    this.#entries.delete(name)
    return found
  }
}
