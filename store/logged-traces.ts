import type { ImportedRun } from '../importers/index.ts'
import { type DuckDBConnection, listValue } from './duckdb.ts'
import type { EventRow } from './event-row.ts'

/*
 * Spans of another instrumentation beside the run log of the same run. Where only the framework's spans were exported, none
 * of handspan, nothing says whose they are but the trace that events of the log name.
 */

/** Runs that have a log, by the trace that their events name, and on how many of them. */
export type LoggedTraces = ReadonlyMap<string, ReadonlyMap<string, number>>

// Events are written while the spans of their trace are open. Clocks differ, and a whole store takes long to be read.
const SLACK_MINUTES = 10

// Two queries: with one and an OR between them DuckDB does not pass over what lies outside of the time.
const NAMED = (within: string) => `
  SELECT run, lower(json_extract_string(CASE WHEN readable THEN line END, '$.trace.id')) AS trace
  FROM base.events WHERE ${within} AND source <> $2 AND contains(line::VARCHAR, '"trace"')`

/** Finds in which of these traces events of run logs stand. `made` is the source of events that are no log. */
export async function loggedTraces(
  connection: DuckDBConnection,
  traces: readonly string[],
  made: string,
): Promise<LoggedTraces> {
  const time = await connection.runAndReadAll(
    `SELECT make_timestamp(min(started) // 1000) - INTERVAL ${SLACK_MINUTES} MINUTE,
       make_timestamp(max(ended) // 1000) + INTERVAL ${SLACK_MINUTES} MINUTE
     FROM base.spans WHERE started > 0 AND trace IN (SELECT unnest($1))`,
    [listValue([...traces])],
  )
  const [first, last] = time.getRows()[0]!
  const within = first === null ? 'true' : `time BETWEEN TIMESTAMP '${first}' AND TIMESTAMP '${last}'`
  const result = await connection.runAndReadAll(
    `SELECT trace, run, count(*)::DOUBLE FROM (${NAMED(within)} UNION ALL ${NAMED('time IS NULL')})
     SEMI JOIN (SELECT unnest($1) AS trace) USING (trace) GROUP BY ALL`,
    [listValue([...traces]), made],
  )
  const logged = new Map<string, Map<string, number>>()
  for (const [trace, run, events] of result.getRows() as [string, string, number][]) {
    logged.set(trace, (logged.get(trace) ?? new Map<string, number>()).set(run, events))
  }
  return logged
}

/**
 * The run that spans belong to. What they say themselves counts first: the run that a span of handspan names, or a log
 * under the id of the trace. Else it is the logged run that names their traces. Where several do, because one program
 * worked on several tasks in one trace, it is the one that names them on most events, or the first by its id: a further
 * run, told from the spans, would tell again what each of the logs has told.
 */
export function homeOf({ run, traces }: ImportedRun, logged: LoggedTraces, hasLog: boolean): string {
  if (hasLog || !traces.includes(run)) return run
  const events = new Map<string, number>()
  for (const trace of traces) {
    for (const [other, count] of logged.get(trace) ?? []) events.set(other, (events.get(other) ?? 0) + count)
  }
  const [best] = [...events].sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1))
  return best?.[0] ?? run
}

/**
 * Marks the traces that events name whose spans were read into another run: they may belong to the run of the events. Spans
 * that name their run themselves stay where they are. Part of the transaction that stores the events.
 */
export async function markNamedTraces(
  connection: DuckDBConnection,
  rows: readonly EventRow[],
): Promise<void> {
  const named = new Map<string, { run: string; trace: string }>()
  for (const { run, trace } of rows) if (trace !== undefined) named.set(`${trace} ${run}`, { run, trace })
  if (named.size === 0) return
  const pairs = [...named.values()]
  await connection.run(
    `INSERT INTO base.stale_traces
     SELECT s.trace FROM base.spans s JOIN (SELECT unnest($1) AS trace, unnest($2) AS run) n USING (trace)
     GROUP BY s.trace HAVING bool_or(s.run <> n.run) AND count(named_run) = 0`,
    [listValue(pairs.map(({ trace }) => trace)), listValue(pairs.map(({ run }) => run))],
  )
}
