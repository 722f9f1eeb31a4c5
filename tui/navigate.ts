import type { Judged } from '../report/accepted.ts'
import type { Act } from './act.ts'
import { pickOther } from './compare.ts'
import { DiffScreen } from './screens/diff.ts'
import { FindingsScreen } from './screens/findings.ts'
import { helpScreen } from './screens/help.ts'
import { LabScreen } from './screens/lab.ts'
import { MetricsScreen } from './screens/metrics.ts'
import { ReplayScreen } from './screens/replay.ts'
import type { Session } from './session.ts'
import { askSql } from './sql.ts'

/** Reads a run and opens its replay. */
export function openRun(session: Session, name: string): void {
  session.say(`reading ${name} …`)
  // The notice is painted first: folding and counting tokens of a large run takes the event loop for itself.
  const analysed = new Promise((painted) => setTimeout(painted, 20)).then(() => session.source.analysis(name))
  void session.during(`reading ${name}`, analysed, (analysis) => {
    session.analysis = analysis
    session.push(new ReplayScreen(session, analysis))
  })
}

/** Opens the screen that an act names; false if it names none. */
export function navigate(session: Session, act: Act): boolean {
  const { analysis, screen } = session
  if (act === 'compare' && screen instanceof DiffScreen) pickOther(session, screen.side())
  else if (act === 'sql') askSql(session)
  else if (act === 'help') session.push(helpScreen(session.screen.name))
  else if (act === 'toRuns') session.popTo('runs')
  else if (act === 'toMetrics') session.popTo('metrics') || session.push(new MetricsScreen(session))
  else if (act === 'toLab') session.popTo('lab') || session.push(new LabScreen(session))
  else if (act === 'toFindings') toFindings(session)
  else if (act !== 'toReplay' && act !== 'toDiff') return false
  else if (analysis === undefined) session.say('no run is open yet; Enter opens one', 'warning')
  else if (act === 'toReplay') toReplay(session, analysis)
  else toDiff(session, analysis)
  return true
}

/** Of the run that is looked at; on the list of runs, of all. */
function toFindings(session: Session): void {
  const of = session.screen.name === 'runs' ? undefined : session.analysis
  const fits = (screen: unknown) => (screen as FindingsScreen).shows(of)
  if (!session.popTo('findings', fits)) session.push(new FindingsScreen(session, of))
}

function toReplay(session: Session, analysis: Judged): void {
  const fits = (screen: unknown) => (screen as ReplayScreen).analysis === analysis
  if (!session.popTo('replay', fits)) session.push(new ReplayScreen(session, analysis))
}

function toDiff(session: Session, analysis: Judged): void {
  if (session.popTo('diff', (screen) => (screen as DiffScreen).shows(analysis))) return
  const { screen } = session
  const diff = screen instanceof ReplayScreen ? screen.handoffAt() : analysis.diffs[0]
  if (diff === undefined) session.say('this run holds no handoff', 'warning')
  else session.push(new DiffScreen(session, analysis, diff))
}
