import { BIGINT, LIST, listValue, UBIGINT, VARCHAR } from './duckdb.ts'
import type { EventRow } from './event-row.ts'
import type { Transaction } from './transaction.ts'

/** Tells which events of a batch are in the store already. */
export class KnownEvents {
  readonly #transaction: Transaction
  /** The arrival before which there is nothing of a run that began in this transaction. */
  readonly #begun = new Map<string, number>()

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Those of the runs that have events in the store, or are known from spans. */
  async runsOf(rows: readonly EventRow[]): Promise<Set<string>> {
    if (rows.length === 0) return new Set()
    const found = await this.#transaction.run(
      `SELECT run FROM base.runs WHERE run IN (SELECT unnest($1))
       UNION ALL SELECT run FROM base.stale_runs WHERE run IN (SELECT unnest($1))
       UNION ALL SELECT orphan FROM base.joined WHERE orphan IN (SELECT unnest($1))
       UNION ALL SELECT run FROM base.spans WHERE run IN (SELECT unnest($1))`,
      [listValue([...new Set(rows.map(({ run }) => run))])],
    )
    return new Set(found.map(([run]) => run as string))
  }

  /** Leaves out what is stored already, and what stands twice in the batch itself. */
  async without(rows: readonly EventRow[], known: ReadonlySet<string>): Promise<EventRow[]> {
    const inBatch = new Set<bigint>()
    const unique = rows.filter(({ id }) => inBatch.size < inBatch.add(id).size)
    // DuckDB passes over the parts of the store in which none of the runs can be.
    const doubtful = unique.filter(({ run }) => known.has(run))
    if (doubtful.length === 0) return unique
    const runs = [...new Set(doubtful.map(({ run }) => run))]
    const found = await this.#transaction.run(
      `SELECT run, id FROM base.events
       WHERE run IN (SELECT unnest($1)) AND id IN (SELECT unnest($2)) AND arrival >= $3`,
      [
        listValue(runs),
        listValue(doubtful.map(({ id }) => id)),
        BigInt(Math.min(...runs.map((run) => this.#begun.get(run) ?? 0))),
      ],
      [LIST(VARCHAR), LIST(UBIGINT), BIGINT],
    )
    const stored = new Set(found.map(([run, id]) => `${id} ${run}`))
    return stored.size === 0 ? unique : unique.filter(({ run, id }) => !stored.has(`${id} ${run}`))
  }

  /** To be told of what was stored: rows from the arrival on, of runs of which these were known before. */
  note(rows: readonly EventRow[], known: ReadonlySet<string>, arrival: number): void {
    for (const { run } of rows) {
      if (!known.has(run) && !this.#begun.has(run)) this.#begun.set(run, arrival)
    }
  }

  /** To be told of the end of the transaction. */
  forget(): void {
    this.#begun.clear()
  }
}
