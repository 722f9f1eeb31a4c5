import { existsSync } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Derivation } from './derivation.ts'
import type { DuckDBConnection } from './duckdb.ts'
import { type LineBatch, type Position, readLines } from './lines.ts'
import { type LoadCounts, type Loader, NOTHING, type Stored } from './load.ts'
import { readSpanLines, SPANS_ENDING } from './load-spans.ts'
import type { StorePaths } from './paths.ts'

/** What an ingest found: `pending` are bytes of unfinished last lines, which wait for their rest. */
export type SpoolCounts = LoadCounts & { spans: number; segments: number; bytes: number; pending: number }

/** A spool segment, how long it is and how far it was read. */
export type Segment = { name: string; size: number; read: Position }

/** Reads the new complete lines of every spool segment; `derivation` goes on with what is stored of them. */
export async function ingestSpool(
  paths: StorePaths,
  connection: DuckDBConnection,
  loader: Loader,
  derivation: Derivation,
  onProgress: (done: number, total: number) => void,
): Promise<SpoolCounts> {
  const segments = await listSegments(paths, connection)
  const total = segments.reduce((sum, segment) => sum + Math.max(0, segment.size - segment.read.offset), 0)
  derivation.startReading(total)
  const counts = {
    events: 0,
    spans: 0,
    duplicates: 0,
    quarantined: 0,
    segments: segments.length,
    bytes: 0,
    pending: 0,
  }
  for (const segment of segments) {
    // What is shorter than it was has been replaced or cut by somebody; what it held is stored already.
    if (segment.size <= segment.read.offset) continue
    const file = await open(join(paths.spool, segment.name), 'r')
    let offset = segment.read.offset
    try {
      for await (const batch of readLines(file, segment.read, { final: false })) {
        const loaded = await loadBatch(loader, segment.name, batch)
        counts.events += loaded.events
        counts.spans += loaded.spans
        counts.duplicates += loaded.duplicates
        counts.quarantined += loaded.quarantined
        counts.bytes += batch.next.offset - offset
        offset = batch.next.offset
        onProgress(counts.bytes, total)
        await derivation.readOn(loaded)
      }
    } finally {
      await file.close()
    }
    counts.pending += Math.max(0, segment.size - offset)
  }
  return counts
}

/** The segments in the order of their names, which is the order of their writers' starts and rotations. */
export async function listSegments(paths: StorePaths, connection: DuckDBConnection): Promise<Segment[]> {
  if (!existsSync(paths.spool)) return []
  const known = await connection.runAndReadAll(
    "SELECT source, bytes_read::DOUBLE, lines_read::DOUBLE FROM base.sources WHERE kind = 'spool'",
  )
  const read = new Map(
    (known.getRows() as [string, number, number][]).map(([name, offset, lines]) => [
      name,
      { offset, number: lines + 1 },
    ]),
  )
  const names = (await readdir(paths.spool)).filter((name) => name.endsWith('.jsonl')).sort()
  return Promise.all(
    names.map(async (name) => {
      const { size } = await stat(join(paths.spool, name))
      return { name, size, read: read.get(name) ?? { offset: 0, number: 1 } }
    }),
  )
}

/** A segment holds run-log events or, if its name says so, spans of other instrumentations. */
async function loadBatch(
  loader: Loader,
  name: string,
  batch: LineBatch,
): Promise<LoadCounts & Stored & { spans: number }> {
  const from = { source: name, kind: 'spool' as const }
  return name.endsWith(SPANS_ENDING)
    ? { events: 0, ...NOTHING, ...(await loader.loadSpans(from, readSpanLines(batch, name))) }
    : { spans: 0, ...(await loader.load(from, batch, noOccurrence)) }
}

// The place of a line in its segment tells equal lines apart.
const noOccurrence = () => ''
