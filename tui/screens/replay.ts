import { commandWords } from '../../model/command-words.ts'
import { isKind } from '../../model/run-log.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Step } from '../../replay/run.ts'
import type { Judged } from '../../report/accepted.ts'
import { jsonDocument } from '../../report/json-document.ts'
import { replayJson } from '../../report/replay-json.ts'
import type { Act } from '../act.ts'
import { Cursor, placeOf } from '../cursor.ts'
import { beside, block, fitLine, type Line, line, rule, wrapLine } from '../lines.ts'
import { cannotBeNamed } from '../paste.ts'
import { runTitle, severityCounts } from '../rows/run-title.ts'
import { stateLines } from '../rows/state-lines.ts'
import { laneLegend, type Timeline, timelineLine, timelineOf } from '../rows/timeline.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import { DiffScreen } from './diff.ts'
import { evidenceOf } from './evidence.ts'
import { TextScreen } from './text.ts'
import { ViewerScreen } from './viewer.ts'

const SPEEDS = [1, 2, 5, 10, 20, 50, 100]
/** A pause in the log is shown as at most this. */
const LONGEST_PAUSE_MS = 1000
/** Faster than a screen is painted makes no sense. */
const SHORTEST_FRAME_MS = 16

/** The timeline of a run on one side, the state at the cursor on the other. Nothing is called again. */
export class ReplayScreen implements Screen {
  readonly name = 'replay'
  analysis: Judged
  readonly #session: Session
  #timeline: Timeline
  readonly #cursor = new Cursor()
  #speed = 0
  #playing: NodeJS.Timeout | undefined

  constructor(session: Session, analysis: Judged, step: Step = 0) {
    this.#session = session
    this.analysis = analysis
    this.#timeline = timelineOf(analysis)
    this.#cursor.to(step, analysis.run.events.length)
  }

  title(): Line {
    return runTitle(this.analysis)
  }

  lines({ width, height }: Size): Line[] {
    if (width >= 120) {
      const left = Math.floor(width * 0.6)
      const right = width - left - 3
      return beside([this.#steps(left, height), this.#state(right, height)], { text: ' │ ', tone: 'frame' })
    }
    const below = Math.max(4, Math.floor(height * 0.4))
    return [...this.#steps(width, height - below), ...this.#state(width, below)]
  }

  #steps(width: number, height: number): Line[] {
    const { run } = this.#timeline
    const { start, end } = this.#cursor.window(height - 2, run.events.length)
    const playing = this.#playing === undefined ? '' : `  playing x${SPEEDS[this.#speed]}`
    const following = this.#session.follower.on ? `  following${run.ended ? ', the run has ended' : ''}` : ''
    const rows = Array.from({ length: end - start }, (_, index) =>
      timelineLine(this.#timeline, start + index, start + index === this.#cursor.at),
    )
    return [
      rule(`step ${placeOf(this.#cursor.at + 1, run.events.length)}${playing}${following}`, width, true),
      fitLine(laneLegend(this.#timeline, width), width),
      ...block(rows, width, height - 2),
    ]
  }

  #state(width: number, height: number): Line[] {
    const hint = this.#hint().flatMap((one) => wrapLine(one, width))
    const lines = [...hint, ...stateLines(this.analysis, this.#cursor.at, this.#session.traceLink)]
    const more = lines.length - (height - 1)
    const shown =
      more > 0
        ? [...lines.slice(0, height - 2), line(`  … ${more + 1} more lines; o shows all`, 'faint')]
        : lines
    return [rule(`state after step ${this.#cursor.at + 1}`, width), ...block(shown, width, height - 1)]
  }

  /** At the beginning, where there is no state yet: how to get to what is wrong. */
  #hint(): Line[] {
    const { findings } = this.analysis
    if (this.#cursor.at > 0 || this.#timeline.problems.length === 0) return []
    const text = ': e goes to the first step that one of them points to, 4 lists them'
    return [[...severityCounts(findings), { text, tone: 'faint' }]]
  }

  act(act: Act): void {
    if (act !== 'play' && act !== 'faster' && act !== 'slower') this.close()
    const { run, problems, handoffs } = this.#timeline
    if (act === 'stepOn') this.#go(this.#cursor.at + 1)
    else if (act === 'stepBack') this.#go(this.#cursor.at - 1)
    else if (act === 'nextProblem') this.#jump(problems, 1, 'problem')
    else if (act === 'previousProblem') this.#jump(problems, -1, 'problem')
    else if (act === 'nextHandoff') this.#jump(handoffs, 1, 'handoff')
    else if (act === 'previousHandoff') this.#jump(handoffs, -1, 'handoff')
    else if (act === 'play') this.#togglePlay()
    else if (act === 'faster') this.#setSpeed(this.#speed + 1)
    else if (act === 'slower') this.#setSpeed(this.#speed - 1)
    else if (act === 'open') this.#open()
    else if (act === 'inspect') this.#inspect()
    else if (act === 'nextPane') this.#showState()
    else if (act === 'follow') this.#cursor.move('last', run.events.length)
    else this.#cursor.move(act, run.events.length)
  }

  disabled(act: Act): string | undefined {
    if ((act === 'nextProblem' || act === 'previousProblem') && this.#timeline.problems.length === 0)
      return 'this run has no findings'
    if ((act === 'nextHandoff' || act === 'previousHandoff') && this.#timeline.handoffs.length === 0)
      return 'this run holds no handoff'
    if (act === 'copy' && this.copied() === undefined) return cannotBeNamed(this.#session)
    return undefined
  }

  /** The handoff of a step: its own, else the last one before it, else the first one. */
  handoffAt(step: Step = this.#cursor.at): HandoffDiff | undefined {
    const { diffs } = this.analysis
    const own = diffs.find(
      ({ sent, receipt, handoff }) =>
        sent?.step === step || receipt?.step === step || handoff.accepted?.step === step,
    )
    return (
      own ??
      diffs.findLast(({ sent, receipt }) => ((sent ?? receipt)?.step ?? Number.POSITIVE_INFINITY) <= step) ??
      diffs[0]
    )
  }

  goTo(step: Step): void {
    this.#go(step)
  }

  search(text: string, direction: 1 | -1): boolean {
    const needle = text.toLowerCase()
    const { run } = this.#timeline
    for (let step = this.#cursor.at + direction; step >= 0 && step < run.events.length; step += direction) {
      const event = run.events[step]!
      if (!`${event.agent ?? ''} ${event.kind} ${this.#timeline.what(step)}`.toLowerCase().includes(needle))
        continue
      this.#go(step)
      return true
    }
    return false
  }

  copied() {
    const { paste, source } = this.#session
    const called = source.called(this.analysis.run.id)
    if (called === undefined) return undefined
    return {
      text: paste(commandWords('replay', [called], ['--step', `${this.#cursor.at + 1}`])),
      what: 'the command that shows this step',
    }
  }

  exported(): Exported {
    const { run } = this.analysis
    return {
      title: `Replay of run ${run.id}`,
      lines: (width) => [
        fitLine(laneLegend(this.#timeline, width), width),
        ...run.events.map((_, step) =>
          fitLine(timelineLine(this.#timeline, step, step === this.#cursor.at), width),
        ),
        line(''),
        line(`state after step ${this.#cursor.at + 1}`),
        ...stateLines(this.analysis, this.#cursor.at, this.#session.traceLink).map((row) =>
          fitLine(row, width),
        ),
      ],
      json: () => jsonDocument('replay', replayJson(run, this.#cursor.at)),
    }
  }

  /** Stays at its event; at the last one, goes on with what came. */
  adopt(analysis: Judged): void {
    if (analysis.run.id !== this.analysis.run.id) return
    const { events } = this.analysis.run
    const here = events[this.#cursor.at]
    const atEnd = this.#cursor.at === events.length - 1
    const same = analysis.run.events.findIndex(
      ({ writer, seq, at, kind }) =>
        writer === here?.writer && seq === here?.seq && at === here?.at && kind === here?.kind,
    )
    this.analysis = analysis
    this.#timeline = timelineOf(analysis)
    this.#go(atEnd ? analysis.run.events.length - 1 : same < 0 ? this.#cursor.at : same)
  }

  close(): void {
    clearTimeout(this.#playing)
    this.#playing = undefined
  }

  #go(step: Step): void {
    this.#cursor.to(step, this.#timeline.run.events.length)
  }

  #jump(steps: readonly Step[], direction: 1 | -1, what: string): void {
    const { at } = this.#cursor
    const to = direction > 0 ? steps.find((step) => step > at) : steps.findLast((step) => step < at)
    if (to === undefined) this.#session.say(`no ${what} ${direction > 0 ? 'after' : 'before'} this step`)
    else this.#go(to)
  }

  #setSpeed(speed: number): void {
    this.#speed = Math.max(0, Math.min(speed, SPEEDS.length - 1))
    this.#session.say(`speed x${SPEEDS[this.#speed]}`)
  }

  #togglePlay(): void {
    if (this.#playing !== undefined) this.close()
    else if (this.#cursor.at + 1 >= this.#timeline.run.events.length)
      this.#session.say('this is the last step; g goes to the first')
    else this.#playNext()
  }

  #playNext(): void {
    const { at } = this.#cursor
    if (at + 1 >= this.#timeline.run.events.length) {
      this.close()
      return
    }
    const pause = this.#timeline.elapsed[at + 1]! - this.#timeline.elapsed[at]!
    const shown = Math.min(Number.isFinite(pause) ? pause : 0, LONGEST_PAUSE_MS) / SPEEDS[this.#speed]!
    this.#playing = setTimeout(
      () => {
        this.#go(at + 1)
        this.#playNext()
        this.#session.changed()
      },
      Math.max(SHORTEST_FRAME_MS, shown),
    )
  }

  /** At a handoff, and where a finding about one points to: what crossed. Elsewhere: the event. */
  #open(): void {
    const event = this.#timeline.run.events[this.#cursor.at]!
    const diff = event.kind.startsWith('handoff.') ? this.handoffAt() : undefined
    if (diff !== undefined) this.#session.push(new DiffScreen(this.#session, this.analysis, diff))
    else if (isKind(event, 'operation') && this.#isPointedAt(event.op)) this.#openOperation(event.op)
    else {
      const evidence = this.#evidence()
      if (evidence === undefined) this.#inspect()
      else this.#session.push(evidence)
    }
  }

  /** The row of a diff that a finding of this step is about. */
  #evidence(): DiffScreen | undefined {
    const here = this.analysis.findings.filter(({ evidence }) =>
      evidence.some(({ step }) => step === this.#cursor.at),
    )
    for (const finding of here) {
      const screen = evidenceOf(this.#session, this.analysis, finding)
      if (screen !== undefined) return screen
    }
    return undefined
  }

  #isPointedAt(op: string): boolean {
    return this.analysis.diffs.some(({ operations }) =>
      operations.some((crossing) => crossing.inDoubt && crossing.operation.op === op),
    )
  }

  /** An operation that was in doubt at a handoff opens there: that is where it was lost or kept. */
  #openOperation(op: string): void {
    const diff = this.analysis.diffs.find(({ operations }) =>
      operations.some((crossing) => crossing.inDoubt && crossing.operation.op === op),
    )!
    this.#session.push(new DiffScreen(this.#session, this.analysis, diff, { tab: 'operations', id: op }))
  }

  /** The state is often longer than the room beside the steps. */
  #showState(): void {
    const lines = stateLines(this.analysis, this.#cursor.at, this.#session.traceLink)
    const title = `state after step ${this.#cursor.at + 1}`
    this.#session.push(new TextScreen(title, (width) => lines.flatMap((one) => wrapLine(one, width))))
  }

  #inspect(): void {
    const event = this.#timeline.run.events[this.#cursor.at]!
    this.#session.push(new ViewerScreen(this.#session, `event ${this.#cursor.at + 1} ${event.kind}`, event))
  }
}
