import { type ImportedRun, importRuns } from '../importers/index.ts'
import type { Span } from '../otlp/span.ts'
import { appendRows, type Columns } from './append.ts'
import { type DuckDBConnection, listValue } from './duckdb.ts'
import { type EventRow, readEventRow } from './event-row.ts'
import { Line } from './lines.ts'
import type { Loader } from './load.ts'
import { homeOf, type LoggedTraces, loggedTraces } from './logged-traces.ts'
import { relatedTraces } from './related-traces.ts'
import { DERIVED_TABLES } from './schema.ts'

/** The source of events that were made from spans. They are derived like everything else: a rebuild makes them anew. */
export const SPANS_SOURCE = 'spans'

const BATCH_BYTES = 32 * 1024 * 1024

/**
 * Makes the runs of every trace that has new spans, in place of what was made of it before: late spans complete a run, and a
 * second instrumentation of it joins it. Where the run log of a run is in the store, its events count and none are made:
 * spans in a trace that the log names belong to its run.
 * Works in batches, each in one transaction; killed in between, the rest stays marked.
 */
export async function importStaleTraces(
  connection: DuckDBConnection,
  columns: Columns,
  loader: Loader,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  const stale = await readTexts(connection, 'SELECT DISTINCT trace FROM base.stale_traces ORDER BY trace')
  if (stale.length > 0) {
    const groups = await relatedTraces(connection, stale)
    const all = groups.flat()
    const sizes = await traceSizes(connection, all)
    const logged = await loggedTraces(connection, all, SPANS_SOURCE)
    let done = 0
    for (const batch of batches(groups, sizes)) {
      await importBatch(connection, columns, loader, batch, logged)
      done += batch.length
      onProgress(done, groups.length)
    }
  }
  await dropWhereLogged(connection)
}

/** Marks every trace, so that its run is made anew. */
export async function markAllTracesStale(connection: DuckDBConnection): Promise<void> {
  await connection.run('DELETE FROM base.stale_traces')
  await connection.run('INSERT INTO base.stale_traces SELECT DISTINCT trace FROM base.spans')
}

async function importBatch(
  connection: DuckDBConnection,
  columns: Columns,
  loader: Loader,
  groups: readonly string[][],
  loggedIn: LoggedTraces,
): Promise<void> {
  const traces = groups.flat()
  const spans = await readSpans(connection, traces)
  const runs = groups.flatMap((group) => importRuns(group.flatMap((trace) => spans.get(trace) ?? [])))
  await loader.transaction.write(async () => {
    await replaceRuns(connection, columns, loader, traces, runs, loggedIn)
    await connection.run('DELETE FROM base.stale_traces WHERE trace IN (SELECT unnest($1))', [
      listValue(traces),
    ])
  })
  await loader.transaction.commit()
}

async function replaceRuns(
  connection: DuckDBConnection,
  columns: Columns,
  loader: Loader,
  traces: readonly string[],
  told: readonly ImportedRun[],
  loggedIn: LoggedTraces,
): Promise<void> {
  const withLog = await loggedAmong(
    connection,
    told.map(({ run }) => run),
  )
  const runs = told.map((one) => ({ ...one, run: homeOf(one, loggedIn, withLog.has(one.run)) }))
  const before = await readTexts(
    connection,
    'SELECT DISTINCT run FROM base.spans WHERE run IS NOT NULL AND trace IN (SELECT unnest($1))',
    traces,
  )
  const touched = [...new Set([...before, ...runs.map(({ run }) => run)])]
  if (touched.length === 0) return
  const cleared = await clearMade(connection, touched)
  const logged = await loggedAmong(connection, touched)
  const rows = runs.filter(({ run }) => !logged.has(run)).flatMap(({ events }) => events.map(rowOf))
  await loader.storeMade(rows, SPANS_SOURCE)
  await connection.run('CREATE OR REPLACE TEMP TABLE span_runs (trace VARCHAR, run VARCHAR)')
  for (const { run, traces: own } of runs) {
    await connection.run('INSERT INTO temp.span_runs SELECT unnest($1), $2', [listValue(own), run])
  }
  await connection.run(
    `UPDATE base.spans SET run = (SELECT any_value(run) FROM temp.span_runs m WHERE m.trace = spans.trace)
     WHERE trace IN (SELECT unnest($1))`,
    [listValue([...traces])],
  )
  const there = new Set([...logged, ...rows.map(({ run }) => run)])
  await forgetRuns(
    connection,
    touched.filter((run) => !there.has(run)),
  )
  // To a log spans add nothing: late ones are no reason to judge its run again.
  const stale = touched.filter((run) => there.has(run) && (!logged.has(run) || cleared.has(run)))
  await appendRows(
    connection,
    columns,
    'stale_runs',
    stale.map((run) => ({ run })),
  )
}

/** Removes the events that were made of these runs. Returns those that had any. */
async function clearMade(
  connection: DuckDBConnection,
  runs: readonly string[],
): Promise<ReadonlySet<string>> {
  const removed = await connection.runAndReadAll(
    'DELETE FROM base.events WHERE source = $1 AND run IN (SELECT unnest($2)) RETURNING run',
    [SPANS_SOURCE, listValue([...runs])],
  )
  return new Set(removed.getRows().map(([run]) => run as string))
}

/** Which of these runs have a log of their own. */
async function loggedAmong(
  connection: DuckDBConnection,
  runs: readonly string[],
): Promise<ReadonlySet<string>> {
  if (runs.length === 0) return new Set()
  const found = await connection.runAndReadAll(
    'SELECT DISTINCT run FROM base.events WHERE source <> $1 AND run IN (SELECT unnest($2))',
    [SPANS_SOURCE, listValue([...runs])],
  )
  return new Set(found.getRows().map(([run]) => run as string))
}

/** Removes what was derived of runs that are told under another id now. What was joined into them finds a place anew. */
async function forgetRuns(connection: DuckDBConnection, runs: readonly string[]): Promise<void> {
  if (runs.length === 0) return
  const gone = [listValue([...runs])]
  await connection.run(
    'INSERT INTO base.stale_runs SELECT orphan FROM base.joined WHERE run IN (SELECT unnest($1))',
    gone,
  )
  await connection.run('DELETE FROM base.joined WHERE run IN (SELECT unnest($1))', gone)
  for (const table of [...DERIVED_TABLES, 'handoff_spans', 'stale_runs']) {
    await connection.run(`DELETE FROM base.${table} WHERE run IN (SELECT unnest($1))`, gone)
  }
}

/** A run log that came after the spans of its run: two records of one run are one run, and the log is the fuller one. */
async function dropWhereLogged(connection: DuckDBConnection): Promise<void> {
  const any = await connection.runAndReadAll('SELECT 1 FROM base.spans WHERE run IS NOT NULL LIMIT 1')
  if (any.getRows().length === 0) return
  await connection.run(
    `DELETE FROM base.events WHERE source = $1 AND run IN (
       SELECT run FROM base.events WHERE source <> $1 AND run IN (SELECT run FROM base.stale_runs))`,
    [SPANS_SOURCE],
  )
}

async function readSpans(
  connection: DuckDBConnection,
  traces: readonly string[],
): Promise<Map<string, Span[]>> {
  const spans = new Map<string, Span[]>()
  const result = await connection.runAndReadAll(
    'SELECT trace, line::VARCHAR FROM base.spans WHERE trace IN (SELECT unnest($1))',
    [listValue([...traces])],
  )
  for (const [trace, line] of result.getRows() as [string, string][]) {
    const list = spans.get(trace)
    const span = JSON.parse(line) as Span
    if (list === undefined) spans.set(trace, [span])
    else list.push(span)
  }
  return spans
}

async function traceSizes(
  connection: DuckDBConnection,
  traces: readonly string[],
): Promise<Map<string, number>> {
  const result = await connection.runAndReadAll(
    'SELECT trace, sum(bytes)::DOUBLE FROM base.spans WHERE trace IN (SELECT unnest($1)) GROUP BY trace',
    [listValue([...traces])],
  )
  return new Map(result.getRows() as [string, number][])
}

function* batches(groups: readonly string[][], sizes: ReadonlyMap<string, number>): Generator<string[][]> {
  let batch: string[][] = []
  let bytes = 0
  for (const group of groups) {
    const own = group.reduce((sum, trace) => sum + (sizes.get(trace) ?? 0), 0)
    if (batch.length > 0 && bytes + own > BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(group)
    bytes += own
  }
  if (batch.length > 0) yield batch
}

function rowOf(event: ImportedRun['events'][number]): EventRow {
  return readEventRow(Line.of(JSON.stringify(event)), SPANS_SOURCE, () => '') as EventRow
}

async function readTexts(
  connection: DuckDBConnection,
  sql: string,
  list?: readonly string[],
): Promise<string[]> {
  const result = await connection.runAndReadAll(sql, list === undefined ? [] : [listValue([...list])])
  return (result.getRows() as [string][]).map(([text]) => text)
}
