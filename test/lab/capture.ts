import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Handspan, start } from '../../instrumentation/index.ts'
import { parseEventLine } from '../../model/parse-event.ts'
import type { RunEvent } from '../../model/run-log.ts'

/** Plays something with captures in a directory of its own; gives its result and the run logs that it left on disk. */
export async function capture<T>(
  act: (handspan: Handspan) => Promise<T>,
): Promise<{ result: T; events: RunEvent[]; lost: number }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'handspan-lab-'))
  try {
    const handspan = start({ directory })
    const result = await act(handspan)
    const { dropped, errors } = handspan.counters()
    await handspan.shutdown()
    return { result, events: readLogs(path.join(directory, 'spool')), lost: dropped + errors }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Every line of every file, through the parser that import uses. Throws at the first line that is no event. */
export function readLogs(directory: string): RunEvent[] {
  return readdirSync(directory)
    .sort()
    .flatMap((file) => readFileSync(path.join(directory, file), 'utf8').trimEnd().split('\n'))
    .map((line) => {
      const { event, reason } = parseEventLine(line)
      if (event === undefined) throw new Error(`${reason}: ${line.slice(0, 200)}`)
      return event
    })
}

export function eventsOf(events: readonly RunEvent[], run: string): RunEvent[] {
  return events.filter((event) => event.run === run)
}
