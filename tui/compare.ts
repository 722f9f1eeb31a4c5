import type { Judged } from '../report/accepted.ts'
import { StoreError } from '../store/errors.ts'
import { isLogPath } from '../store/log-files.ts'
import { CompareScreen, type Side } from './screens/compare.ts'
import { DiffScreen } from './screens/diff.ts'
import { PickScreen } from './screens/pick.ts'
import type { Session } from './session.ts'

/** Asks with what a handoff is to be compared. */
export function pickOther(session: Session, of: Side): void {
  session.push(
    new PickScreen(session, of, (picked) => {
      if ('side' in picked) compare(session, of, picked.side)
      else compareWithRun(session, of, picked.run)
    }),
  )
}

/** `compare RUN [HANDOFF]` of the command line: the handoff that was looked at last, with one of another run. */
export function compareCommand(session: Session, rest: string): void {
  const [run = '', handoff] = rest.split(/\s+/u)
  const of = sideOnScreen(session)
  if (of === undefined) session.say('no handoff is open to be compared; 3 opens one', 'warning')
  else compareWithRun(session, of, run, handoff)
}

function sideOnScreen({ screens, analysis }: Session): Side | undefined {
  const shown = screens.findLast((screen) => screen instanceof DiffScreen)
  if (shown !== undefined) return shown.side()
  const diff = analysis?.diffs[0]
  return analysis === undefined || diff === undefined ? undefined : { analysis, diff }
}

/** A run with one handoff is compared at once; of several, one is chosen, the like one first. */
function compareWithRun(session: Session, of: Side, name: string, handoff?: string): void {
  void session.during(`reading ${name}`, analysisOf(session, name), (analysis) => {
    const sides = analysis.diffs.map((diff) => ({ analysis, diff }))
    const named = sides.filter(({ diff }) => diff.handoff.id === handoff)
    const [only] = named.length > 0 ? named.slice(-1) : sides
    if (only === undefined) session.say(`run ${analysis.run.id} holds no handoff`, 'warning')
    else if (handoff !== undefined && named.length === 0)
      session.say(`run ${analysis.run.id} has no handoff ${handoff}`, 'error')
    else if (named.length > 0 || sides.length === 1) compare(session, of, only)
    else
      session.push(
        new PickScreen(
          session,
          of,
          (picked) => {
            if ('side' in picked) compare(session, of, picked.side)
          },
          sides,
        ),
      )
  })
}

/** A run of the source; else a run-log file, of which the first run with a handoff is taken. */
async function analysisOf({ source }: Session, name: string): Promise<Judged> {
  try {
    return await source.analysis(name)
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'no-such-run' && (await isLogPath(name)))) throw error
    return source.analysisOfFile(name)
  }
}

function compare(session: Session, a: Side, b: Side): void {
  if (a.diff === b.diff) session.say('this is the same handoff; choose another one', 'warning')
  else
    session.push(
      new CompareScreen(session, a, b, ({ analysis, diff }) => {
        session.analysis = analysis
        session.push(new DiffScreen(session, analysis, diff))
      }),
    )
}
