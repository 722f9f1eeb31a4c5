import { type DuckDBConnection, listValue } from './duckdb.ts'
import type { Task } from './judge-batch.ts'
import { joinLinked } from './linked-runs.ts'
import { packLines } from './packed-lines.ts'

/** A run to be derived: where its events stand among all, and how much they are. */
export type Planned = { run: string; first: bigint; last: bigint; bytes: number }

/** Judged before the garbage collector comes twice: what outlives that costs it most. */
const BATCH_BYTES = 512 * 1024
const BATCH_RUNS = 1000
/** Runs of one family judged together with a run. More would make a much repeated run cost its square. */
const RELATED_LIMIT = 10

/** Two runs are related when one repeats the other, or both repeat the same. */
const RELATED = `
  SELECT run, replay_of AS other FROM base.replays
  UNION SELECT replay_of, run FROM base.replays
  UNION SELECT a.run, b.run FROM base.replays a JOIN base.replays b USING (replay_of) WHERE a.run <> b.run`

/** Marks the runs that are judged together with marked ones. */
export async function markRelatedStale(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `INSERT INTO base.stale_runs SELECT DISTINCT other FROM (${RELATED})
     WHERE run IN (SELECT run FROM base.stale_runs) AND other NOT IN (SELECT run FROM base.stale_runs)`,
  )
}

/** All runs that are marked, in the order of their events. */
export async function planStale(connection: DuckDBConnection): Promise<Planned[]> {
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

/** Runs in groups that are read and judged at a time: a group is held in memory. */
export function* inBatches<T extends { bytes: number }>(runs: readonly T[]): Generator<T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const one of runs) {
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

/** The lines of the runs of a batch and of those judged together with them, orphans joined. */
export async function readTogether(
  connection: DuckDBConnection,
  batch: readonly Planned[],
): Promise<Omit<Task, 'settings'>> {
  const runs = batch.map((one) => one.run)
  const lines = await readLines(connection, batch)
  await joinLinked(connection, runs, lines)
  const related = await readRelated(connection, runs)
  const missing = [...new Set([...related.values()].flat())].filter((run) => !lines.has(run))
  if (missing.length > 0) {
    const others = await readLines(
      connection,
      missing.map((run) => ({ run })),
    )
    await joinLinked(connection, missing, others)
    for (const [run, log] of others) lines.set(run, log)
  }
  // A run that was joined into another one has no lines, and nothing of its own to be derived.
  const told = runs.filter((run) => lines.has(run))
  return {
    runs: told.map((run) => ({ run, related: related.get(run) ?? [] })),
    lines: new Map([...lines].map(([run, log]) => [run, packLines(log)])),
  }
}

/** Lines by run. The bounds on `arrival` let DuckDB pass over everything stored before and after. */
async function readLines(
  connection: DuckDBConnection,
  batch: readonly { run: string; first?: bigint; last?: bigint }[],
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
  return logs
}

const END = 2n ** 63n - 1n

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
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
