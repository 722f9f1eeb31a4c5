let analyses = 0

/** Begins an analysis: nothing is remembered of those before. */
export function beginAnalysis(): void {
  analyses += 1
}

/**
 * What was worked out about an object, remembered until the next analysis begins. A WeakMap alone would remember it as
 * well; but what refers to its own key stays in one until the garbage collector has walked the whole heap, and to promote
 * and walk the leavings of run after run took a tenth of the time of judging them.
 */
export class Remembered<K extends object, V> {
  #analysis = 0
  #values = new WeakMap<K, V>()

  get(key: K): V | undefined {
    return this.#current().get(key)
  }

  set(key: K, value: V): void {
    this.#current().set(key, value)
  }

  #current(): WeakMap<K, V> {
    if (this.#analysis !== analyses) {
      this.#analysis = analyses
      this.#values = new WeakMap()
    }
    return this.#values
  }
}
