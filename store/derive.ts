import type { DuckDBConnection } from '@duckdb/node-api'
import { listValue } from '@duckdb/node-api'
import type { PlainSettings } from '../replay/plain-settings.ts'
import { appendRows, type Columns } from './append.ts'
import { type Judged, judgeBatch, type Task } from './judge-batch.ts'
import { joinLinked, markLinkedStale } from './linked-runs.ts'
import { DERIVED_TABLES } from './schema.ts'

const BATCH_BYTES = 16 * 1024 * 1024
const BATCH_RUNS = 1000
/** Runs of one family judged together with a run. More would make a much repeated run cost its square. */
const RELATED_LIMIT = 10

/** Two runs are related when one repeats the other, or both repeat the same. */
const RELATED = `
  SELECT run, replay_of AS other FROM base.replays
  UNION SELECT replay_of, run FROM base.replays
  UNION SELECT a.run, b.run FROM base.replays a JOIN base.replays b USING (replay_of) WHERE a.run <> b.run`

type Planned = { run: string; first: bigint; last: bigint; bytes: number }

/**
 * Derives anew every run that has events younger than its derived rows, and the runs that are judged together with
 * those, under the settings of whoever asks. Works in batches, each in one transaction, holding one batch in memory:
 * killed in between, the rest stays marked. Returns the number of runs.
 */
export async function deriveStale(
  connection: DuckDBConnection,
  columns: Columns,
  settings: PlainSettings,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  await markLinkedStale(connection)
  await connection.run(
    `INSERT INTO base.stale_runs SELECT DISTINCT other FROM (${RELATED})
     WHERE run IN (SELECT run FROM base.stale_runs) AND other NOT IN (SELECT run FROM base.stale_runs)`,
  )
  const plan = await planRuns(connection)
  let done = 0
  for (const batch of batches(plan)) {
    const runs = batch.map((one) => one.run)
    const rows = judgeBatch({ ...(await readTask(connection, batch)), settings })
    await store(connection, columns, runs, rows)
    done += batch.length
    onProgress(done, plan.length)
  }
  return plan.length
}

/** Empties everything derived and marks every run. Whoever reads in the meantime sees the runs derived so far. */
export async function markAllStale(connection: DuckDBConnection): Promise<void> {
  await connection.run('BEGIN')
  for (const table of DERIVED_TABLES) await connection.run(`DELETE FROM base.${table}`)
  await connection.run('DELETE FROM base.stale_runs')
  await connection.run('INSERT INTO base.stale_runs SELECT DISTINCT run FROM base.events')
  await connection.run('COMMIT')
}

async function planRuns(connection: DuckDBConnection): Promise<Planned[]> {
  const result = await connection.runAndReadAll(
    `SELECT run, min(arrival), max(arrival), sum(bytes)::DOUBLE FROM base.events
     WHERE run IN (SELECT run FROM base.stale_runs) GROUP BY run ORDER BY min(arrival)`,
  )
  return (result.getRows() as [string, bigint, bigint, number][]).map(([run, first, last, bytes]) => ({
    run,
    first,
    last,
    bytes,
  }))
}

function* batches(plan: Planned[]): Generator<Planned[]> {
  let batch: Planned[] = []
  let bytes = 0
  for (const one of plan) {
    if (batch.length > 0 && (batch.length >= BATCH_RUNS || bytes + one.bytes > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += one.bytes
  }
  if (batch.length > 0) yield batch
}

async function store(
  connection: DuckDBConnection,
  columns: Columns,
  runs: string[],
  rows: Judged,
): Promise<void> {
  await connection.run('BEGIN')
  try {
    await replaceRows(connection, columns, runs, rows)
    await connection.run('DELETE FROM base.stale_runs WHERE run IN (SELECT unnest($1))', [listValue(runs)])
    await connection.run('COMMIT')
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  }
}

async function replaceRows(
  connection: DuckDBConnection,
  columns: Columns,
  runs: string[],
  rows: Judged,
): Promise<void> {
  // Most runs are new: then there is nothing to delete, and no table needs to be scanned.
  const before = await connection.runAndReadAll(
    'SELECT run FROM base.runs WHERE run IN (SELECT unnest($1))',
    [listValue(runs)],
  )
  const old = before.getRows().map((row) => row[0] as string)
  for (const [table, added] of rows) {
    if (old.length > 0) {
      await connection.run(`DELETE FROM base.${table} WHERE run IN (SELECT unnest($1))`, [listValue(old)])
    }
    await appendRows(connection, columns, table, added)
  }
}

/** Lines by run. The bounds on `arrival` let DuckDB pass over everything stored before and after. */
async function readLines(
  connection: DuckDBConnection,
  batch: { run: string; first?: bigint; last?: bigint }[],
): Promise<Map<string, string[]>> {
  const logs = new Map<string, string[]>()
  const first = batch.reduce<bigint>((least, one) => min(least, one.first ?? 0n), batch[0]!.first ?? 0n)
  const last = batch.reduce<bigint>((most, one) => max(most, one.last ?? END), batch[0]!.last ?? END)
  const result = await connection.stream(
    `SELECT run, line::VARCHAR FROM base.events
     WHERE arrival BETWEEN $1 AND $2 AND run IN (SELECT unnest($3)) ORDER BY arrival`,
    [first, last, listValue(batch.map((one) => one.run))],
  )
  for await (const chunk of result) {
    const [run, line] = chunk.getColumns() as [string[], string[]]
    for (let row = 0; row < run.length; row++) {
      const log = logs.get(run[row]!)
      if (log === undefined) logs.set(run[row]!, [line[row]!])
      else log.push(line[row]!)
    }
  }
  await joinLinked(
    connection,
    batch.map(({ run }) => run),
    logs,
  )
  return logs
}

const END = 2n ** 63n - 1n

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The lines of the runs of a batch and of those judged together with them. */
async function readTask(connection: DuckDBConnection, batch: Planned[]): Promise<Omit<Task, 'settings'>> {
  const runs = batch.map((one) => one.run)
  const lines = await readLines(connection, batch)
  const related = await readRelated(connection, runs)
  const missing = [...new Set([...related.values()].flat())].filter((run) => !lines.has(run))
  if (missing.length > 0) {
    const others = await readLines(
      connection,
      missing.map((run) => ({ run })),
    )
    for (const [run, log] of others) lines.set(run, log)
  }
  // A run that was joined into another one has no lines, and nothing of its own to be derived.
  const told = runs.filter((run) => lines.has(run))
  return { runs: told.map((run) => ({ run, related: related.get(run) ?? [] })), lines }
}

async function readRelated(connection: DuckDBConnection, runs: string[]): Promise<Map<string, string[]>> {
  const result = await connection.runAndReadAll(
    `SELECT run, other FROM (${RELATED}) WHERE run IN (SELECT unnest($1))
     QUALIFY row_number() OVER (PARTITION BY run ORDER BY other) <= ${RELATED_LIMIT} ORDER BY run, other`,
    [listValue(runs)],
  )
  const related = new Map<string, string[]>()
  for (const [run, other] of result.getRows() as [string, string][]) {
    related.set(run, [...(related.get(run) ?? []), other])
  }
  return related
}
