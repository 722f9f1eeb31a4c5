import { randomBytes } from 'node:crypto'
import { ulid } from 'ulid'

/** A new run id: opaque, sortable by time. */
export function newRunId(): string {
  return ulid()
}

// Crockford's letters: no i, l, o, u, so that an id can be read out and typed.
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new id for something inside a run, 50 random bits: `op-7k3m9x2qd4`. */
export function newId(prefix: string): string {
  let id = `${prefix}-`
  for (const byte of randomBytes(10)) id += LETTERS[byte & 31]
  return id
}
