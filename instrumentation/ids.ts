import { randomBytes } from 'node:crypto'
import { ulid } from 'ulid'

/** A new run id: opaque, sortable by time. */
export function newRunId(): string {
  return ulid()
}

// Crockford's letters: no i, l, o, u, so that an id can be read out and typed.
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Numbers what has no id of its own inside one run: `op-1`, `op-2`, `h-1`. */
export class RunNumbers {
  readonly #counts = new Map<string, number>()
  readonly #mark: string

  /** `joined`: another process may number in the same run; then a random mark keeps the ids apart: `op-7k3m-1`. */
  constructor(joined: boolean) {
    this.#mark = joined ? `${[...randomBytes(4)].map((byte) => LETTERS[byte & 31]).join('')}-` : ''
  }

  next(prefix: string): string {
    const count = (this.#counts.get(prefix) ?? 0) + 1
    this.#counts.set(prefix, count)
    return `${prefix}-${this.#mark}${count}`
  }
}
