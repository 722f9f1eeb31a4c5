import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from './duckdb.ts'
import { listSegments } from './ingest.ts'
import type { StorePaths } from './paths.ts'

/** A spool segment that nobody writes any more and that was read to its end, with nothing of it in quarantine. */
export type FinishedSegment = { name: string; size: number }

/** A writer closes a segment after an hour; one that it has not touched for this long it does not come back to. */
const LEFT_ALONE_MILLISECONDS = 24 * 3600 * 1000

/**
 * The finished segments. A segment with lines in quarantine is not among them, since those lines are whole nowhere else,
 * unless they were found before `quarantineBefore` (UTC).
 */
export async function finishedSegments(
  paths: StorePaths,
  connection: DuckDBConnection,
  quarantineBefore: string | undefined,
): Promise<FinishedSegment[]> {
  const segments = await listSegments(paths, connection)
  const quarantined = await connection.runAndReadAll(
    'SELECT DISTINCT source FROM base.quarantine WHERE found_at >= $1::TIMESTAMP',
    [quarantineBefore ?? '-infinity'],
  )
  const kept = new Set(quarantined.getColumns()[0] as string[] | undefined)
  const newest = newestOfWriters(segments.map(({ name }) => name))
  return segments
    .filter(({ name, size, read }) => size === read.offset && !kept.has(name))
    .filter(({ name }) => newest.get(writerOf(name)) !== name || isLeftAlone(join(paths.spool, name)))
    .map(({ name, size }) => ({ name, size }))
}

/**
 * Removes those of the segments that no event of the store comes from any more, and what the store knows of them. A
 * segment whose events had all come from elsewhere before (an import) stays: nothing of it was pruned. Returns what went.
 */
export async function removeSegments(
  paths: StorePaths,
  connection: DuckDBConnection,
  finished: readonly FinishedSegment[],
): Promise<FinishedSegment[]> {
  const result = await connection.runAndReadAll(
    `SELECT source FROM base.sources WHERE kind = 'spool' AND events > 0
       AND source NOT IN (SELECT source FROM base.events) AND source NOT IN (SELECT source FROM base.spans)`,
  )
  const unused = new Set(result.getColumns()[0] as string[] | undefined)
  const removed = finished.filter(({ name }) => unused.has(name))
  for (const { name } of removed) {
    rmSync(join(paths.spool, name), { force: true })
    // Only now: a segment that is there and not known would be read again.
    await connection.run("DELETE FROM base.sources WHERE kind = 'spool' AND source = $1", [name])
  }
  return removed
}

/** `<writer>-<n>.jsonl`: the segment with the highest number is the one that its writer may still have open. */
function newestOfWriters(names: readonly string[]): Map<string, string> {
  const newest = new Map<string, string>()
  for (const name of names) {
    const known = newest.get(writerOf(name))
    if (known === undefined || numberOf(name) > numberOf(known)) newest.set(writerOf(name), name)
  }
  return newest
}

function writerOf(name: string): string {
  return name.replace(/-\d+\.jsonl$/, '')
}

function numberOf(name: string): number {
  return Number(/-(\d+)\.jsonl$/.exec(name)?.[1] ?? 0)
}

function isLeftAlone(path: string): boolean {
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return written !== undefined && Date.now() - written > LEFT_ALONE_MILLISECONDS
}
