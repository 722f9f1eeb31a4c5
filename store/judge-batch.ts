import { readStoredEvent } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'
import { analyse } from '../replay/analyse.ts'
import { type PlainSettings, settingsHash, settingsOf } from '../replay/plain-settings.ts'
import { type DerivedRows, derivedRows, failedRows } from './derive/rows.ts'
import { unpackLines } from './packed-lines.ts'
import { type PackedTable, packTable } from './packed-table.ts'
import { DERIVED_TABLES, type DerivedTable } from './schema.ts'
import { addRows, type Table } from './table.ts'

/** Runs to be judged, in a form that goes to another thread. */
export type Task = {
  /** Each run, and those that are judged together with it. `asWritten`: its events are known to have the forms that they should. */
  runs: { run: string; related: string[]; asWritten?: boolean }[]
  /** Packed lines of the run log by run, in the order of their arrival: of `runs`, and of the related that are stored. */
  lines: Map<string, Uint8Array>
  settings: PlainSettings
}

/** The derived rows of the runs of a task: the tables that have any. */
export type Judged = ReadonlyMap<DerivedTable, PackedTable>

/** Folds, compares and checks every run. A run that cannot be analysed says so under `not judged` and holds up no other. */
export function judgeBatch({ runs, lines, settings }: Task): Judged {
  const compiled = settingsOf(settings)
  const eventsOf = (run: string, read: (line: string) => RunEvent) =>
    unpackLines(lines.get(run)!).map((line) => read(line))
  return tablesOf(settings, runs, ({ run, related, asWritten }) => {
    try {
      const others = related
        .filter((other) => lines.has(other))
        .map((other) => eventsOf(other, readStoredEvent))
      const events = eventsOf(run, asWritten ? JSON.parse : readStoredEvent)
      return derivedRows(analyse(events, { related: others, settings: compiled }))
    } catch (error) {
      return failedRows(run, unpackLines(lines.get(run)!).flatMap(readable), error)
    }
  })
}

/** The rows of a task whose judge ended before its answer: nobody knows at which run, so that none of them is judged. */
export function failedBatch({ runs, lines, settings }: Task, error: Error): Judged {
  return tablesOf(settings, runs, ({ run }) =>
    failedRows(run, unpackLines(lines.get(run)!).flatMap(readable), error),
  )
}

function readable(line: string): RunEvent[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

function tablesOf(
  settings: PlainSettings,
  runs: Task['runs'],
  rowsOf: (one: Task['runs'][number]) => DerivedRows,
): Judged {
  const hash = settingsHash(settings)
  const tables = new Map<DerivedTable, Table>(DERIVED_TABLES.map((name) => [name, { rows: 0, columns: {} }]))
  for (const one of runs) {
    // Into columns at once: the rows of a batch are many more objects than its columns.
    for (const [table, rows] of rowsOf(one)) {
      addRows(
        tables.get(table)!,
        table === 'runs' ? rows.map((parts) => [...parts, { settings: hash }]) : rows,
      )
    }
  }
  return new Map([...tables].flatMap(([name, table]) => (table.rows === 0 ? [] : [[name, packTable(table)]])))
}
