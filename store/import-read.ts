import { type FileHandle, open } from 'node:fs/promises'
import { plural } from '../model/counts.ts'
import { type LineBatch, readLines } from './lines.ts'
import type { SpanBatch } from './load-spans.ts'
import { noSpans, readSpanFile, recogniseFile } from './span-files.ts'
import { type Unread, whyUnread } from './why-unread.ts'

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

/** What to say of a file of another kind: its lines are in quarantine, and not one of them is an event or a span. */
export function nothingIn(file: string, lines: number): Unread {
  return {
    file,
    reason: `${file} holds nothing that can be read: none of its ${plural(lines, 'line')} is an event or a span.`,
    remedy:
      'A run log holds one JSON object a line, each with "run" and "kind". docs/foreign-spans.md says what else is read.',
  }
}
