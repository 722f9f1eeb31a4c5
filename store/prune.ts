import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { copyDatabase, removeCopy, verifyCopy } from './copy.ts'
import { type DuckDBConnection, listValue } from './duckdb.ts'
import { listSegments } from './ingest.ts'
import { type FinishedSegment, finishedSegments, removeSegments } from './old-segments.ts'
import type { StorePaths } from './paths.ts'
import { type PrunableRun, type PruneBounds, planPrune } from './prune-plan.ts'

/** What pruning removed, or with `dryRun` would remove. Sizes in bytes, times as ISO 8601. */
export type PruneReport = {
  dryRun: boolean
  runs: number
  events: number
  handoffs: number
  /** Time of the latest event of the oldest and of the newest run that goes. */
  oldest: string | null
  newest: string | null
  /** Runs that are past the bounds and stay, because a write of theirs is in doubt or may be; the first ids of them. */
  spared: number
  /** How many of those were not judged since their last events came, so that nobody knows. */
  unjudged: number
  sparedRuns: string[]
  segments: number
  segmentBytes: number
  bytesBefore: number
  /** Predicted with `dryRun`, else measured: database and spool together. */
  bytesAfter: number
}

/** Exchanges the open database for a new file, when nobody reads. */
export type Exchange = (next: string) => Promise<void>

const NAMED = 5

/**
 * Removes whole runs. What stays is written into a new database file, which then takes the place of the old one: the
 * space goes back to the disk, and whoever is killed in between leaves one of the two whole. Spool segments go after
 * that, and only those that were read to their end, hold nothing else and are not written any more.
 */
export async function pruneStore(
  paths: StorePaths,
  writer: () => DuckDBConnection,
  bounds: PruneBounds & { dryRun: boolean },
  exchange: Exchange,
): Promise<PruneReport> {
  const quarantineBefore =
    bounds.before === undefined ? undefined : new Date(bounds.before).toISOString().slice(0, -1)
  const finished = await finishedSegments(paths, writer(), quarantineBefore)
  const runs = await readRuns(writer())
  const bytesBefore = databaseBytes(paths) + (await spoolBytes(paths, writer()))
  const sizes = {
    databaseBytes: databaseBytes(paths),
    emptyBytes: await emptyBytes(paths, writer(), quarantineBefore),
    spoolBytes: bytesBefore - databaseBytes(paths),
    segments: new Map(finished.map(({ name, size }) => [name, size])),
  }
  const plan = planPrune(runs, sizes, bounds)
  const report = (segments: readonly FinishedSegment[], bytesAfter: number): PruneReport => ({
    dryRun: bounds.dryRun,
    runs: plan.runs.length,
    events: sum(plan.runs, ({ events }) => events),
    handoffs: sum(plan.runs, ({ handoffs }) => handoffs),
    oldest: isoOf(plan.runs[0]?.lastAt),
    newest: isoOf(plan.runs.at(-1)?.lastAt),
    spared: plan.spared.length,
    unjudged: plan.spared.filter(({ unjudged }) => unjudged).length,
    sparedRuns: plan.spared.slice(0, NAMED).map(({ run }) => run),
    segments: segments.length,
    segmentBytes: sum(segments, ({ size }) => size),
    bytesBefore,
    bytesAfter,
  })
  if (bounds.dryRun) {
    const going = new Set(plan.runs.map(({ run }) => run))
    const used = new Set(runs.filter(({ run }) => !going.has(run)).flatMap(({ segments }) => segments))
    const held = new Set(plan.runs.flatMap(({ segments }) => segments))
    return report(
      finished.filter(({ name }) => held.has(name) && !used.has(name)),
      plan.predictedBytes,
    )
  }
  if (plan.runs.length > 0) {
    await compact(paths, writer(), plan.runs, quarantineBefore, exchange)
  }
  // Also those that an earlier pruning was killed before it could remove.
  const removed = await removeSegments(paths, writer(), finished)
  return report(removed, databaseBytes(paths) + (await spoolBytes(paths, writer())))
}

async function compact(
  paths: StorePaths,
  writer: DuckDBConnection,
  runs: readonly PrunableRun[],
  quarantineBefore: string | undefined,
  exchange: Exchange,
): Promise<void> {
  const next = join(paths.outgoing, `${ulid()}.duckdb`)
  const going = runs.map(({ run }) => run)
  try {
    const copied = await copyDatabase(writer, next, {
      leftOut: { runs: [...going, ...(await orphansOf(writer, going))], quarantineBefore },
    })
    await verifyCopy(writer, next, copied)
    await exchange(next)
  } finally {
    removeCopy(next)
  }
}

async function readRuns(connection: DuckDBConnection): Promise<PrunableRun[]> {
  const result = await connection.runAndReadAll(
    `WITH pieces AS (
       SELECT coalesce(j.run, e.run) AS run, source, count(*) AS events, sum(bytes) AS bytes, max(time) AS last_at
       FROM base.events e LEFT JOIN base.joined j ON j.orphan = e.run GROUP BY ALL
     ), spool AS (SELECT source FROM base.sources WHERE kind = 'spool'
     ), unjudged AS (
       SELECT coalesce(j.run, s.run) AS run FROM base.stale_runs s LEFT JOIN base.joined j ON j.orphan = s.run
       UNION SELECT run FROM base.spans
       WHERE run IS NOT NULL AND trace IN (SELECT trace FROM base.stale_traces)
     )
     SELECT run, (epoch_us(coalesce(any_value(r.last_at), max(p.last_at))) / 1000)::DOUBLE, sum(p.events)::DOUBLE,
       coalesce(any_value(r.handoffs), 0), sum(p.bytes)::DOUBLE, coalesce(any_value(r.in_doubt), 0),
       bool_or(run IN (SELECT run FROM unjudged)),
       to_json(list(p.source) FILTER (p.source IN (SELECT source FROM spool)))::VARCHAR
     FROM pieces p LEFT JOIN base.runs r USING (run) GROUP BY run`,
  )
  type Found = [string, number | null, number, number, number, number, boolean, string | null]
  return (result.getRows() as Found[]).map(
    ([run, lastAt, events, handoffs, bytes, inDoubt, unjudged, segments]) => ({
      run,
      lastAt,
      events,
      handoffs,
      bytes,
      inDoubt,
      unjudged,
      segments: (JSON.parse(segments ?? 'null') as string[] | null) ?? [],
    }),
  )
}

/** Runs under which parts of these were recorded. */
async function orphansOf(connection: DuckDBConnection, runs: readonly string[]): Promise<string[]> {
  const result = await connection.runAndReadAll(
    'SELECT orphan FROM base.joined WHERE run IN (SELECT unnest($1))',
    [listValue([...runs])],
  )
  return (result.getRows() as [string][]).map(([orphan]) => orphan)
}

/**
 * Bytes of the database if no run is left: its tables, and what belongs to no run. DuckDB gives space away in blocks, so
 * that only a file can tell.
 */
async function emptyBytes(
  paths: StorePaths,
  writer: DuckDBConnection,
  quarantineBefore: string | undefined,
): Promise<number> {
  const empty = join(paths.outgoing, `${ulid()}.duckdb`)
  try {
    await copyDatabase(writer, empty, {
      only: ['sources', 'quarantine'],
      leftOut: { runs: [], quarantineBefore },
    })
    return sizeOf(empty)
  } finally {
    removeCopy(empty)
  }
}

function databaseBytes({ database }: StorePaths): number {
  return sizeOf(database) + sizeOf(`${database}.wal`)
}

async function spoolBytes(paths: StorePaths, connection: DuckDBConnection): Promise<number> {
  return sum(await listSegments(paths, connection), ({ size }) => size)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0)
}

function isoOf(milliseconds: number | null | undefined): string | null {
  return milliseconds === null || milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}
