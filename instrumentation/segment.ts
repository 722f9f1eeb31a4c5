import fs from 'node:fs'
import path from 'node:path'
import { makeFolder } from './make-folder.ts'

/** One open segment: an append-only file that only this writer writes. */
export type Segment = { fd: number; file: string; bytes: number; openedAt: number }

// Another process may remove the directory, or take the name, as often as we try.
const MAX_TRIES = 20

/** Opens a new segment; makes the directories where they are missing. Throws what the file system throws. */
export function openSegment(
  spoolDirectory: string,
  writer: string,
  first: number,
): Segment & { number: number } {
  const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = fs.constants
  for (let number = first, tries = 0; ; tries++) {
    const file = path.join(spoolDirectory, `${writer}-${number}.jsonl`)
    try {
      // Exclusive: never append to what another writer has begun.
      const fd = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600)
      return { fd, file, bytes: 0, openedAt: Date.now(), number }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (tries === MAX_TRIES) throw error
      if (code === 'ENOENT') makeFolder(spoolDirectory)
      else if (code === 'EEXIST') number++
      else throw error
    }
  }
}

/**
 * Appends a whole line, however many writes it takes. If one fails half-way, what was written of the line is taken
 * back, so that a reader never meets a torn line in the middle of a file. Throws what the file system throws.
 */
export function appendLine(segment: Segment, line: Buffer, sync: boolean): void {
  let done = 0
  try {
    while (done < line.length) {
      const written = fs.writeSync(segment.fd, line, done)
      if (written <= 0) throw new Error('the file system took no bytes')
      done += written
    }
  } catch (error) {
    if (done > 0) fs.ftruncateSync(segment.fd, segment.bytes)
    throw error
  }
  segment.bytes += done
  if (sync) fs.fdatasyncSync(segment.fd)
}

/** True if the file was deleted under the writer: writes would succeed and nobody would ever read them. */
export function isDeleted(segment: Segment): boolean {
  return fs.fstatSync(segment.fd).nlink === 0
}

/** Closes a segment; it can fail on network file systems, and then nothing is left to do. */
export function closeSegment(segment: Segment): void {
  try {
    fs.closeSync(segment.fd)
  } catch {}
}

/** Bytes of all segments in the spool, of every writer. 0 if there is no spool. */
export function spoolBytes(spoolDirectory: string): number {
  let bytes = 0
  let names: string[]
  try {
    names = fs.readdirSync(spoolDirectory)
  } catch {
    return 0
  }
  for (const name of names) {
    if (!name.endsWith('.jsonl')) continue
    // A segment may be pruned between the listing and the look at it.
    bytes += fs.statSync(path.join(spoolDirectory, name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}
