import { statSync } from 'node:fs'
import { type DuckDBConnection, version as duckdbVersion } from './duckdb.ts'
import { listSegments } from './ingest.ts'
import type { StorePaths } from './paths.ts'
import { SCHEMA_VERSION } from './schema.ts'

/** Where a store is, how large, and what it holds. Sizes in bytes. */
export type StoreInfo = {
  directory: string
  database: string
  spool: string
  socket: string
  /** Process that owns the database. */
  owner: number
  schemaVersion: number
  duckdbVersion: string
  databaseBytes: number
  spoolBytes: number
  segments: number
  /** Bytes in the spool that are not read yet, unfinished lines included. */
  pendingBytes: number
  events: number
  runs: number
  handoffs: number
  findings: number
  quarantined: number
  /** Runs whose derived rows are older than their events. */
  staleRuns: number
}

const COUNTS = `
  SELECT (SELECT count(*) FROM base.events), (SELECT count(*) FROM base.runs), (SELECT count(*) FROM base.handoffs),
    (SELECT count(*) FROM base.findings), (SELECT count(*) FROM base.quarantine),
    (SELECT count(DISTINCT run) FROM base.stale_runs)`

export async function readInfo(paths: StorePaths, connection: DuckDBConnection): Promise<StoreInfo> {
  const segments = await listSegments(paths, connection)
  const counts = (await connection.runAndReadAll(COUNTS)).getRows()[0]!.map(Number)
  const [events, runs, handoffs, findings, quarantined, staleRuns] = counts as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return {
    directory: paths.directory,
    database: paths.database,
    spool: paths.spool,
    socket: paths.socket,
    owner: process.pid,
    schemaVersion: SCHEMA_VERSION,
    duckdbVersion: duckdbVersion(),
    // The size comes from the directory entry: the file itself is not opened.
    databaseBytes: sizeOf(paths.database) + sizeOf(`${paths.database}.wal`),
    spoolBytes: segments.reduce((sum, segment) => sum + segment.size, 0),
    segments: segments.length,
    pendingBytes: segments.reduce((sum, { size, read }) => sum + Math.max(0, size - read.offset), 0),
    events,
    runs,
    handoffs,
    findings,
    quarantined,
    staleRuns,
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
