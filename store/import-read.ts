import { statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { plural } from '../model/counts.ts'
import { StoreError } from './errors.ts'
import { type LineBatch, readLines } from './lines.ts'
import type { SpanBatch } from './load-spans.ts'
import { noSpans, readSpanFile, recogniseFile } from './span-files.ts'

/** A file of which not all was read: why, as a sentence that names it, and what to do. */
export type UnreadFile = { file: string; reason: string; remedy: string }

/**
 * A file as what it is, a run log line by line or spans. Why it cannot be read, or not further, comes last: as a result, so
 * that no failure of storing is taken for one of the file. `name` is what it is called in reports.
 */
export async function* readImport(
  path: string,
  name: string,
): AsyncGenerator<LineBatch | SpanBatch | UnreadFile> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const form = await recogniseFile(file, name)
    if (form === 'other') throw noSpans(name)
    if (form === 'run-log') yield* readLines(file, { offset: 0, number: 1 }, { final: true })
    else yield* readSpanFile(file, form, name)
  } catch (error) {
    yield unreadFile(name, error)
  } finally {
    await file?.close()
  }
}

/** What to say of a file of another kind: its lines are in quarantine, and not one of them is an event or a span. */
export function nothingIn(file: string, lines: number): UnreadFile {
  return {
    file,
    reason: `${file} holds nothing that can be read: none of its ${plural(lines, 'line')} is an event or a span.`,
    remedy:
      'A run log holds one JSON object a line, each with "run" and "kind". docs/foreign-spans.md says what else is read.',
  }
}

/** A file is read more than once, and by whoever owns the database. Throws `unreadable`. */
export function refusePipe(path: string): void {
  const found = statSync(path)
  if (!found.isFIFO() && !found.isSocket()) return
  throw new StoreError('unreadable', `${path} is no file but a pipe.`, {
    path,
    remedy: 'Pipe what it gives into the command, and name - for it.',
  })
}

/** Why a file was not read. Throws the error on if it says nothing of the file: then the fault is elsewhere. */
export function unreadFile(file: string, error: unknown): UnreadFile {
  if (error instanceof StoreError) {
    if (error.code !== 'unreadable') throw error
    return { file, reason: error.message, remedy: error.remedy }
  }
  const { code, message, path } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  // Of a folder: what below it could not be listed.
  const named = path ?? file
  if (code === 'ENOENT') return { file, reason: `${named} does not exist.`, remedy: 'Check the path.' }
  const refused = code === 'EACCES' || code === 'EPERM'
  return {
    file,
    reason: `${named} cannot be read: ${message.replace(/, \w+ '[\s\S]*$/, '')}.`,
    remedy: refused ? 'Make it readable for this user.' : 'Copy it to where it can be read.',
  }
}
