import type { RunEvent } from '../model/run-log.ts'
import { analyse } from '../replay/analyse.ts'
import { type PlainSettings, settingsHash, settingsOf } from '../replay/plain-settings.ts'
import type { Settings } from '../replay/settings.ts'
import type { Row } from './append.ts'
import { derivedRows, failedRows } from './derive/rows.ts'
import { DERIVED_TABLES, type DerivedTable } from './schema.ts'

/** Runs to be judged. */
export type Task = {
  /** Each run, and those that are judged together with it. */
  runs: { run: string; related: string[] }[]
  /** Lines of the run log by run, in the order of their arrival: those of `runs`, and of the related that are stored. */
  lines: Map<string, string[]>
  settings: PlainSettings
}

/** The derived rows of the runs of a task. */
export type Judged = Map<DerivedTable, Row[]>

/** Folds, compares and checks every run. A run that cannot be analysed says so under `not judged` and holds up no other. */
export function judgeBatch({ runs, lines, settings }: Task): Judged {
  const hash = settingsHash(settings)
  const compiled = settingsOf(settings)
  const logs = new Map<string, RunEvent[]>()
  const logOf = (run: string): RunEvent[] => {
    const log = logs.get(run) ?? (lines.get(run) ?? []).map((line) => JSON.parse(line) as RunEvent)
    logs.set(run, log)
    return log
  }
  const rows: Judged = new Map(DERIVED_TABLES.map((table) => [table, []]))
  for (const one of runs) {
    for (const [table, added] of rowsOf(one, logOf, lines, compiled)) {
      const all = rows.get(table)!
      for (const row of added) all.push(table === 'runs' ? { ...row, settings: hash } : row)
    }
  }
  return rows
}

function rowsOf(
  { run, related }: Task['runs'][number],
  logOf: (run: string) => RunEvent[],
  lines: Task['lines'],
  settings: Settings,
): [DerivedTable, Row[]][] {
  let events: RunEvent[] = []
  try {
    events = logOf(run)
    const others = related.filter((other) => lines.has(other)).map(logOf)
    return derivedRows(analyse(events, { related: others, settings }))
  } catch (error) {
    return failedRows(run, events, error)
  }
}
