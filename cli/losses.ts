import type { Store } from '../store/index.ts'

/** Events that agents could not write (disk full, directory gone), as they reported it once writing worked again. */
export async function readLosses(store: Store): Promise<number> {
  const rows = await store.query(
    `SELECT coalesce(sum(TRY_CAST(body->>'lost' AS BIGINT)), 0)::BIGINT AS lost FROM events WHERE kind = 'spool.loss'`,
  )
  return Number(rows[0]!.lost)
}
