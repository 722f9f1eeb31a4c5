import { jsonString } from '../model/json-text.ts'
import { readStoredEvent } from '../model/parse-event.ts'
import { joinOrphans } from '../replay/join-orphans.ts'
import { type DuckDBConnection, listValue } from './duckdb.ts'
import type { EventRow } from './event-row.ts'
import type { Row } from './table.ts'

/*
 * Runs that only a trace links: an orphan, and the run whose handoff was sent in the span that the orphan names. Which of
 * them are one run is what `joinOrphans` says. Here is what it needs: that either side is derived anew when the other
 * one arrives, and that both are read together.
 */

/** The span by which an event may join two runs, as a row of `handoff_spans`; none for most events. */
export function handoffSpanRow({ run, span }: EventRow): Row[] {
  return span === undefined ? [] : [{ run, span: span.name, sent: span.sent }]
}

/** The same from the events of a database that did not have them. Lines that DuckDB cannot read join nothing. */
export async function storeHandoffSpans(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `INSERT INTO base.handoff_spans
     WITH handoffs AS (
       SELECT run, kind = 'handoff.sent' AS sent, CASE WHEN readable THEN line END AS event FROM base.events
       WHERE kind IN ('handoff.sent', 'handoff.received')
     ), contexts AS (
       SELECT run, sent, json_extract(event, if(sent, '$.trace', '$.link')) AS context FROM handoffs
       WHERE sent OR json_extract(event, '$.orphan')::VARCHAR = 'true'
     ), words AS (
       SELECT run, sent, json_extract_string(context, '$.id') AS id, json_extract_string(context, '$.span') AS span
       FROM contexts WHERE json_type(context, '$.id') = 'VARCHAR' AND json_type(context, '$.span') = 'VARCHAR'
     )
     SELECT run, lower(id || ':' || span), sent FROM words WHERE id <> '' AND span <> ''`,
  )
}

/**
 * Marks every run whose joining may change with those that are marked. What is linked at this moment is kept in the
 * connection for `joinLinked`: a span tells nothing once several runs have sent in it, but who was joined by it before
 * has to be told apart again.
 */
export async function markLinkedStale(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE senders AS SELECT DISTINCT run, span FROM base.handoff_spans
     WHERE sent AND span IN (SELECT span FROM base.handoff_spans WHERE NOT sent)`,
  )
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE ambiguous AS SELECT span FROM temp.senders GROUP BY span HAVING count(*) > 1',
  )
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE linked AS
     WITH pairs AS (
       SELECT o.run AS orphan, s.run FROM base.handoff_spans o JOIN temp.senders s USING (span)
       WHERE NOT o.sent AND o.run <> s.run
         AND (span NOT IN (FROM temp.ambiguous) OR o.run IN (SELECT orphan FROM base.joined))
       UNION SELECT orphan, run FROM base.joined
     )
     SELECT run, orphan AS other FROM pairs UNION SELECT orphan, run FROM pairs`,
  )
  if (!(await isAnyLinked(connection))) return
  await connection.run(
    `INSERT INTO base.stale_runs
     WITH RECURSIVE reached AS (
       SELECT run FROM base.stale_runs UNION SELECT other FROM reached JOIN temp.linked USING (run)
     )
     SELECT run FROM reached WHERE run NOT IN (SELECT run FROM base.stale_runs)`,
  )
}

/**
 * Joins the logs of the runs that are linked with any of these: `lines`, the lines by run, gets those of all of them, and
 * none under the run of an orphan that belongs to another one. Notes in `joined` which those are.
 */
export async function joinLinked(
  connection: DuckDBConnection,
  runs: readonly string[],
  lines: Map<string, string[]>,
): Promise<void> {
  if (!(await isAnyLinked(connection))) return
  const linked = await readTexts(
    connection,
    `WITH RECURSIVE reached AS (
       SELECT DISTINCT run FROM temp.linked WHERE run IN (SELECT unnest($1))
       UNION SELECT other FROM reached JOIN temp.linked USING (run)
     ) FROM reached`,
    runs,
  )
  if (linked.length === 0) return
  const ambiguous = await readTexts(
    connection,
    `SELECT DISTINCT span FROM base.handoff_spans SEMI JOIN temp.ambiguous USING (span)
     WHERE NOT sent AND run IN (SELECT unnest($1))`,
    linked,
  )
  const texts = await readTexts(
    connection,
    'SELECT line::VARCHAR FROM base.events WHERE run IN (SELECT unnest($1)) ORDER BY arrival',
    linked,
  )
  const events = texts.map(readStoredEvent)
  for (const run of linked) lines.delete(run)
  const homes = new Map<string, string>()
  for (const [index, event] of joinOrphans(events, new Set(ambiguous)).entries()) {
    const recorded = events[index]!
    const text = event === recorded ? texts[index]! : jsonString(event)
    const log = lines.get(event.run)
    if (log === undefined) lines.set(event.run, [text])
    else log.push(text)
    if (event.run !== recorded.run) homes.set(recorded.run, event.run)
  }
  await connection.run('DELETE FROM base.joined WHERE orphan IN (SELECT unnest($1))', [listValue(linked)])
  if (homes.size === 0) return
  await connection.run('INSERT INTO base.joined SELECT unnest($1), unnest($2)', [
    listValue([...homes.values()]),
    listValue([...homes.keys()]),
  ])
}

async function isAnyLinked(connection: DuckDBConnection): Promise<boolean> {
  return (await connection.runAndReadAll('SELECT 1 FROM temp.linked LIMIT 1')).getRows().length > 0
}

async function readTexts(
  connection: DuckDBConnection,
  sql: string,
  list: readonly string[],
): Promise<string[]> {
  const result = await connection.runAndReadAll(sql, [listValue([...list])])
  return (result.getRows() as [string][]).map(([text]) => text)
}
