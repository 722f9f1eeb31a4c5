import { type DuckDBConnection, DuckDBTimestampValue } from './duckdb.ts'
import type { Position } from './lines.ts'
import { nowMicros } from './table.ts'

/** Where lines come from. `source` is the segment's name or the file's path. */
export type Source = { source: string; kind: 'spool' | 'import' }

type Counts = { events: number; quarantined: number }

/** How far each source was read since the last commit, and what came of it. */
export class ReadPositions {
  readonly #read = new Map<string, Counts & { from: Source; next: Position }>()

  add(from: Source, next: Position, counts: Counts): void {
    const key = JSON.stringify(from)
    const before = this.#read.get(key) ?? { events: 0, quarantined: 0 }
    this.#read.set(key, {
      from,
      next,
      events: before.events + counts.events,
      quarantined: before.quarantined + counts.quarantined,
    })
  }

  /** Part of the transaction in which what was read is stored. */
  async write(connection: DuckDBConnection): Promise<void> {
    for (const { from, next, events, quarantined } of this.#read.values()) {
      const values = [
        from.source,
        from.kind,
        next.offset,
        next.number - 1,
        events,
        quarantined,
        new DuckDBTimestampValue(nowMicros()),
      ]
      const updated = await connection.run(
        `UPDATE base.sources SET bytes_read = $3, lines_read = $4, events = events + $5,
         quarantined = quarantined + $6, read_at = $7 WHERE source = $1 AND kind = $2`,
        values,
      )
      if (updated.rowsChanged === 0) {
        await connection.run('INSERT INTO base.sources VALUES ($1, $2, $3, $4, $5, $6, $7)', values)
      }
    }
  }

  forget(): void {
    this.#read.clear()
  }
}
