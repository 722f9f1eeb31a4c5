import { type FileHandle, open } from 'node:fs/promises'
import { type LineBatch, readLines } from './lines.ts'
import type { SpanBatch } from './load-spans.ts'
import { noSpans, readSpanFile, recogniseFile } from './span-files.ts'
import { nothingIn, type Unread, whyUnread } from './why-unread.ts'

/**
 * A file as what it is, a run log line by line or spans. Why it cannot be read, or not further, comes last: as a result, so
 * that no failure of storing is taken for one of the file. `name` is what it is called in reports.
 */
export async function* readImport(
  path: string,
  name: string,
): AsyncGenerator<LineBatch | SpanBatch | Unread> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const form = await recogniseFile(file, name)
    if (form === 'other') throw noSpans(name)
    if (form === 'run-log') yield* readLines(file, { offset: 0, number: 1 }, { final: true })
    else yield* readSpanFile(file, form, name)
  } catch (error) {
    yield { file: name, ...whyUnread(name, error) }
  } finally {
    await file?.close()
  }
}

/** What to say of a file of which all lines are in quarantine. */
export function nothingToImport(file: string, lines: number): Unread {
  return nothingIn(
    file,
    lines,
    'an event or a span',
    'A run log holds one JSON object a line, each with "run" and "kind". docs/foreign-spans.md says what else is read.',
  )
}
