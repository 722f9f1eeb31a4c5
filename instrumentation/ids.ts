import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

/** A new run id: opaque, sortable by time. */
export function newRunId(): string {
  return ulid()
}

// Crockford's letters: no i, l, o, u, so that an id can be read out and typed.
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 10

// Asking for random bytes costs the same for ten as for thousands, and more than all else in an id.
const pool = new Uint8Array(LENGTH * 256)
let used = pool.length

/** A new id for something inside a run, 50 random bits: `op-7k3m9x2qd4`. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let id = `${prefix}-`
  for (const end = used + LENGTH; used < end; used++) id += LETTERS[pool[used]! & 31]
  return id
}
