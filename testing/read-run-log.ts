import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEventLine } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'

/**
 * The events of a run-log file, or of the `.jsonl` files of a directory (also the spool that the instrumentation writes).
 * Throws an Error with file, line and reason at the first line that is no event: a test should not judge half a log.
 */
export function readRunLog(path: string): RunEvent[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .map((name) => join(path, name))
    : [path]
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        if (line.trim() === '') return []
        const { event, reason } = parseEventLine(line)
        if (event === undefined) throw new Error(`${file}:${index + 1}: ${reason}`)
        return [event]
      }),
  )
}
