import type { RunEvent } from '../model/run-log.ts'
import { analyse } from '../replay/analyse.ts'
import { type PlainSettings, settingsHash, settingsOf } from '../replay/plain-settings.ts'
import type { Row, Table } from './append.ts'
import { derivedRows, failedRows } from './derive/rows.ts'
import { DERIVED_TABLES, type DerivedTable } from './schema.ts'

/** Runs to be judged, in a form that goes to another thread. */
export type Task = {
  /** Each run, and those that are judged together with it. */
  runs: { run: string; related: string[] }[]
  /** Lines of the run log by run, in the order of their arrival: those of `runs`, and of the related that are stored. */
  lines: Map<string, string[]>
  settings: PlainSettings
}

/** The derived rows of the runs of a task. */
export type Judged = Map<DerivedTable, Table>

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
  return tablesOf(hash, runs, ({ run, related }) => {
    let events: RunEvent[] = []
    try {
      events = logOf(run)
      const others = related.filter((other) => lines.has(other)).map(logOf)
      return derivedRows(analyse(events, { related: others, settings: compiled }))
    } catch (error) {
      return failedRows(run, events, error)
    }
  })
}

/** The rows of a task whose thread died: nobody knows of which run, so that none of them is judged. */
export function failedBatch({ runs, lines, settings }: Task, error: unknown): Judged {
  return tablesOf(settingsHash(settings), runs, ({ run }) => {
    const events = (lines.get(run) ?? []).map((line) => JSON.parse(line) as RunEvent)
    return failedRows(run, events, error)
  })
}

function tablesOf(
  settings: string,
  runs: Task['runs'],
  rowsOf: (one: Task['runs'][number]) => [DerivedTable, Row[]][],
): Judged {
  const rows = new Map<DerivedTable, Row[]>(DERIVED_TABLES.map((table) => [table, []]))
  for (const one of runs) {
    for (const [table, added] of rowsOf(one)) {
      const all = rows.get(table)!
      for (const row of added) all.push(table === 'runs' ? { ...row, settings } : row)
    }
  }
  return new Map([...rows].map(([table, all]) => [table, byColumns(all)]))
}

/** A list a column costs a fraction of an object a row when it is copied to another thread. */
function byColumns(rows: readonly Row[]): Table {
  const columns: Table['columns'] = {}
  for (const [index, row] of rows.entries()) {
    for (const name in row) {
      columns[name] ??= new Array(rows.length).fill(null)
      columns[name][index] = row[name] ?? null
    }
  }
  return { rows: rows.length, columns }
}
