import { type LogicalTime, MAX_COUNT } from '../model/envelope.ts'

// A remote clock further ahead than this is taken for broken or hostile, and not followed.
const MAX_AHEAD_MS = 5 * 60_000

/**
 * A hybrid logical clock (Kulkarni and others, 2014): wall-clock milliseconds with a counter. It never goes backwards,
 * also when the wall clock does, and an event after a merge is later than what was merged.
 */
export class Clock {
  #ms = 0
  #count = 0
  readonly #wall: () => number

  constructor(wall: () => number = Date.now) {
    this.#wall = wall
  }

  /** The next instant, later than every one before. */
  tick(): LogicalTime {
    const now = this.#wall()
    if (now > this.#ms) {
      this.#ms = now
      this.#count = 0
    } else if (this.#count < MAX_COUNT) {
      this.#count++
    } else {
      this.#ms++
      this.#count = 0
    }
    return { ms: this.#ms, count: this.#count }
  }

  /** Takes over a time that another writer has reached. False if it lies too far ahead to be believed. */
  merge(time: LogicalTime): boolean {
    if (time.ms > this.#wall() + MAX_AHEAD_MS) return false
    if (time.ms > this.#ms || (time.ms === this.#ms && time.count > this.#count)) {
      this.#ms = time.ms
      this.#count = time.count
    }
    return true
  }
}

let lastMs = -1
let lastText = ''

/** RFC 3339 in UTC; the counter stands in the six digits below the millisecond. */
export function formatTime(time: LogicalTime): string {
  if (time.ms !== lastMs) {
    lastMs = time.ms
    lastText = new Date(time.ms).toISOString().slice(0, -1)
  }
  return `${lastText}${String(time.count).padStart(6, '0')}Z`
}
