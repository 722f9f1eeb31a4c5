import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import type { Judged } from '../report/accepted.ts'
import { cells, plainText, safe } from './lines.ts'
import type { Outside } from './outside.ts'
import { type Paste, pasteNamed } from './paste.ts'
import type { Routes } from './routes.ts'
import { runHeading, runLine } from './rows/run-line.ts'
import { DiffScreen } from './screens/diff.ts'
import { FindingsScreen } from './screens/findings.ts'
import { ReplayScreen } from './screens/replay.ts'
import { Session } from './session.ts'
import type { Source } from './source.ts'
import { THEMES } from './theme.ts'

const WIDEST = 140
const RUNS = 100
const LONGEST_ID = 40

/** The same screens as text: the runs; of one run, named or the only one, its replay, what crossed, and the findings. */
export async function printPlain(
  source: Source,
  print: (text: string) => void,
  columns: number,
  { run, paste = pasteNamed }: { run?: string | undefined; paste?: Paste | undefined } = {},
): Promise<void> {
  const width = Math.max(60, Math.min(columns, WIDEST))
  try {
    await source.refresh()
    const query = { terms: [], sort: 'time' as const }
    if (run !== undefined) {
      printRun(source, await source.analysis(run), width, print)
      return
    }
    const [total, rows] = await Promise.all([source.count(query), source.page(query, 0, RUNS)])
    if (total === 0) {
      print(`no runs yet: ${paste(['demo'])} records some, ${paste(['import', 'FILE'])} takes in a run log`)
      return
    }
    if (total !== 1) {
      // An id is what the next command needs.
      const id = Math.min(LONGEST_ID, Math.max(...rows.map(({ run }) => cells(safe(run)) + 1)))
      print(plainText([runHeading(width, id), ...rows.map((row) => runLine(row, width, false, id))]))
      if (total > rows.length) print(`${rows.length} of ${plural(total, 'run')}`)
      return
    }
    printRun(source, await source.analysis(rows[0]!.run), width, print)
  } finally {
    await source.close()
  }
}

function printRun(source: Source, analysis: Judged, width: number, print: (text: string) => void): void {
  const session = new Session({ outside: NOBODY, theme: THEMES['no-color'] })
  session.opened(source, NOWHERE)
  const screens = [
    new ReplayScreen(session, analysis, analysis.run.events.length - 1),
    ...analysis.diffs.map((diff) => new DiffScreen(session, analysis, diff)),
    new FindingsScreen(session, analysis),
  ]
  for (const screen of screens) {
    const { title, lines } = screen.exported()
    print(`${escapeText(title)}\n${plainText(lines(width))}\n`)
  }
}

// Text has no keys: nothing is asked of the terminal, and nothing leads on.
const NOBODY: Outside = { copy() {}, suspend() {}, redraw() {}, write: async () => {}, quit() {} }
const NOWHERE: Routes = { command() {}, navigate: () => false, completer: () => undefined, openRun() {} }
