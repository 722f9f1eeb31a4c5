import type { DuckDBConnection } from './duckdb.ts'
import { StoreError } from './errors.ts'
import approvals from './schema/base/approvals.sql'
import commitments from './schema/base/commitments.sql'
import constraints from './schema/base/constraints.sql'
import crossings from './schema/base/crossings.sql'
import events from './schema/base/events.sql'
import findings from './schema/base/findings.sql'
import handoffSpans from './schema/base/handoff-spans.sql'
import handoffs from './schema/base/handoffs.sql'
import items from './schema/base/items.sql'
import joined from './schema/base/joined.sql'
import messages from './schema/base/messages.sql'
import meta from './schema/base/meta.sql'
import notJudged from './schema/base/not-judged.sql'
import operations from './schema/base/operations.sql'
import quarantine from './schema/base/quarantine.sql'
import replays from './schema/base/replays.sql'
import runs from './schema/base/runs.sql'
import sources from './schema/base/sources.sql'
import spans from './schema/base/spans.sql'
import staleRuns from './schema/base/stale-runs.sql'
import staleTraces from './schema/base/stale-traces.sql'
import viewApprovals from './schema/views/approvals.sql'
import viewCommitments from './schema/views/commitments.sql'
import viewConstraints from './schema/views/constraints.sql'
import viewCrossings from './schema/views/crossings.sql'
import viewEvents from './schema/views/events.sql'
import viewFindings from './schema/views/findings.sql'
import viewHandoffs from './schema/views/handoffs.sql'
import viewItems from './schema/views/items.sql'
import viewJoined from './schema/views/joined.sql'
import viewMessages from './schema/views/messages.sql'
import viewNotJudged from './schema/views/not-judged.sql'
import viewOperations from './schema/views/operations.sql'
import viewQuarantine from './schema/views/quarantine.sql'
import viewRuns from './schema/views/runs.sql'
import viewSources from './schema/views/sources.sql'
import viewSpans from './schema/views/spans.sql'

/**
 * Version of the tables and views. It goes up with every change of either.
 *
 * 1: the first one.
 * 2: findings with the time, pair, framework and style by which they are counted.
 * 3: runs with the settings under which they were judged.
 * 4: spans of other instrumentations, from which runs are read.
 * 5: runs that their trace links to the run of their sender, joined into it.
 * 6: handoffs with the calls before the first correct one, and whether permissions can be judged.
 */
export const SCHEMA_VERSION = 6

/** What was captured: the only tables that cannot be made anew. */
const CAPTURED = [events, sources, quarantine, replays, spans, handoffSpans]
const DERIVED = [runs, handoffs, crossings, operations, approvals, constraints, commitments, items, findings]
const TABLES = [meta, staleRuns, staleTraces, ...CAPTURED, ...DERIVED, notJudged, messages, joined]
const VIEWS = [
  viewRuns,
  viewHandoffs,
  viewCrossings,
  viewOperations,
  viewApprovals,
  viewConstraints,
  viewCommitments,
  viewItems,
  viewFindings,
  viewNotJudged,
  viewMessages,
  viewJoined,
  viewEvents,
  viewSources,
  viewQuarantine,
  viewSpans,
]

/** Tables that `rebuild` empties and fills again from the events. */
export const DERIVED_TABLES = [
  'runs',
  'handoffs',
  'crossings',
  'operations',
  'approvals',
  'constraints',
  'commitments',
  'items',
  'findings',
  'not_judged',
  'messages',
] as const

export type DerivedTable = (typeof DERIVED_TABLES)[number]

/** Tables that a rebuild of an older file copies, and the version that brought each of them. */
export const CAPTURED_TABLES = {
  events: 1,
  sources: 1,
  quarantine: 1,
  replays: 1,
  spans: 4,
  stale_traces: 4,
  handoff_spans: 5,
} as const

/** Creates every table and view in the current database, in one transaction. */
export async function createSchema(connection: DuckDBConnection): Promise<void> {
  await connection.run('BEGIN')
  await connection.run('CREATE SCHEMA base')
  for (const sql of [...TABLES, ...VIEWS]) await connection.run(sql)
  await connection.run(`INSERT INTO base.meta VALUES (${SCHEMA_VERSION})`)
  await connection.run('COMMIT')
}

/** The version of an open file, `empty` if it holds nothing yet. Throws `not-a-database` for somebody else's tables. */
export async function schemaVersion(connection: DuckDBConnection, path: string): Promise<number | 'empty'> {
  const tables = await connection.runAndReadAll(
    "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE database_name = current_database()",
  )
  const names = tables.getRows().map((row) => String(row[0]))
  if (names.length === 0) return 'empty'
  const version = names.includes('base.meta')
    ? (await connection.runAndReadAll('SELECT max(schema_version) FROM base.meta')).getRows()[0]?.[0]
    : undefined
  if (typeof version !== 'number') {
    throw new StoreError('not-a-database', `${path} is a DuckDB database, but not one of handspan.`, {
      path,
      remedy: 'Move it away, or name another directory with HANDSPAN_DIR.',
    })
  }
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      'newer-schema',
      `${path} has schema version ${version}; this handspan knows version ${SCHEMA_VERSION}.`,
      { path, remedy: 'Use the newer handspan that wrote it, or move the file away to build a new one.' },
    )
  }
  return version
}
