/** Waits between tries, in milliseconds. */
export type BackoffLimits = { first: number; most: number }

export const DEFAULT_BACKOFF: BackoffLimits = { first: 1_000, most: 60_000 }

/** A server may ask for more patience than we would have, but not for ever. */
const LONGEST_RETRY_AFTER_MS = 5 * 60_000

/** Exponential, each wait drawn from its upper half, so that many senders do not come back at once. */
export class Backoff {
  readonly #limits: BackoffLimits
  #failures = 0

  constructor(limits: BackoffLimits) {
    this.#limits = limits
  }

  /** Tries that failed since one succeeded. */
  get failures(): number {
    return this.#failures
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** How long to wait now. What the server asks for (`Retry-After`) is the least. */
  failed(retryAfter = 0): number {
    const { first, most } = this.#limits
    const ceiling = Math.min(most, first * 2 ** Math.min(this.#failures++, 30))
    const own = ceiling / 2 + (Math.random() * ceiling) / 2
    return Math.max(own, Math.min(retryAfter, LONGEST_RETRY_AFTER_MS))
  }
}
