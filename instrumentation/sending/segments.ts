import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { hostInNames } from '../spool.ts'

/** A segment in the spool. `ended`: its writer will write no more into it. */
export type SpoolSegment = { name: string; path: string; size: number; ended: boolean }

/** A writer closes a segment after an hour; one that nobody has touched for this long has no writer any more. */
const LEFT_ALONE_MS = 24 * 3600_000

/**
 * What looks dead may live in another process namespace (a sidecar container sees the host's name and not its
 * processes): then at least nothing is being written now.
 */
const QUIET_MS = 2_000

/** The segments of run-log events in a spool, by name. None if there is no spool. */
export async function listSegments(spool: string): Promise<SpoolSegment[]> {
  const names = await readdir(spool).catch(() => [])
  const events = names.filter((name) => name.endsWith('.jsonl') && !name.endsWith('.spans.jsonl')).sort()
  const newest = newestOfWriters(events)
  const found = await Promise.all(
    events.map(async (name) => {
      const file = path.join(spool, name)
      // A segment may be removed between the listing and the look at it.
      const stats = await stat(file).catch(() => undefined)
      if (stats === undefined || !stats.isFile()) return []
      const quiet = Date.now() - stats.mtimeMs
      const ended = isEnded(name, newest, quiet)
      return [{ name, path: file, size: stats.size, ended }]
    }),
  )
  return found.flat()
}

function isEnded(name: string, newest: Map<string, number>, quiet: number): boolean {
  const parts = partsOf(name)
  if (parts === undefined) return quiet > LEFT_ALONE_MS
  if (newest.get(parts.writer)! > parts.number) return true
  if (parts.host === hostInNames() && !isAlive(parts.pid)) return quiet > QUIET_MS
  return quiet > LEFT_ALONE_MS
}

type NameParts = { writer: string; host: string; pid: number; number: number }

/** `<host>-<pid>[.<thread>]-<start>-<n>.jsonl`; undefined for a file that somebody else has put there. */
function partsOf(name: string): NameParts | undefined {
  const match = /^(([^-]+)-(\d+)(?:\.\d+)?-[^-]+)-(\d+)\.jsonl$/.exec(name)
  if (match === null) return undefined
  return { writer: match[1]!, host: match[2]!, pid: Number(match[3]), number: Number(match[4]) }
}

function newestOfWriters(names: readonly string[]): Map<string, number> {
  const newest = new Map<string, number>()
  for (const parts of names.map(partsOf)) {
    if (parts !== undefined) {
      newest.set(parts.writer, Math.max(parts.number, newest.get(parts.writer) ?? 0))
    }
  }
  return newest
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is one as well.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
