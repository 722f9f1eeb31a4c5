import { bytes, plural } from '../../model/counts.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import { filterInput, readOutput } from '../../replay/what-if/filter.ts'
import { STYLES, type StyleName } from '../../replay/what-if/styles.ts'
import { type Trial, whatIf } from '../../replay/what-if/what-if.ts'
import { type Judged, today } from '../../report/accepted.ts'
import { jsonDocument } from '../../report/json-document.ts'
import { trialJson } from '../../report/trial-json.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { block, cutMiddle, fitLine, type Line, line, rule } from '../lines.ts'
import type { Judging } from '../project.ts'
import { severityTone } from '../rows/finding-rows.ts'
import { runTitle } from '../rows/run-title.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'

const NAMES = Object.keys(STYLES) as StyleName[]

/** Events of a run that is judged again in no time: then nobody has to ask for each style. */
const SHORT_RUN = 2000

/** What came of a style: the trial, or why there is none. */
type Outcome = { trial: Trial } | { trial?: undefined; reason: string }

/** The same handoff in another style: what would have crossed, which findings it solves and which it makes. */
export class WhatIfScreen implements Screen {
  readonly name = 'what-if'
  readonly #session: Session
  readonly #analysis: Judged
  readonly #diff: HandoffDiff
  readonly #cursor = new Cursor()
  #closed = false
  readonly #outcomes = new Map<StyleName, Outcome>()

  constructor(session: Session, analysis: Judged, diff: HandoffDiff) {
    this.#session = session
    this.#analysis = analysis
    this.#diff = diff
    this.#try()
  }

  title(): Line {
    return runTitle(this.#analysis)
  }

  lines({ width, height }: Size): Line[] {
    const rows = NAMES.map((name, index): Line => {
      const selected = index === this.#cursor.at
      return [
        { text: selected ? '› ' : '  ', tone: 'key' },
        { text: name.padEnd(12), tone: selected ? 'selected' : undefined },
        ...summary(this.#outcomes.get(name)),
      ]
    })
    const styles = Math.min(NAMES.length, Math.floor((height - 2) / 2))
    const { start, end } = this.#cursor.window(styles, NAMES.length)
    const rest = height - 2 - (end - start)
    return [
      rule(`what if ${this.#diff.handoff.id} had been handed over in another style`, width, true),
      ...rows.slice(start, end).map((row) => fitLine(row, width)),
      rule('what the receiver did afterwards stays as it was', width),
      ...block(this.#about(width), width, rest),
    ]
  }

  #about(width: number): Line[] {
    const subjects = Math.min(36, Math.floor(width * 0.42))
    const verdicts = Math.min(16, Math.floor(width * 0.3))
    const outcome = this.#outcomes.get(NAMES[this.#cursor.at]!)
    if (outcome === undefined) return [line('  trying …', 'faint')]
    if (outcome.trial === undefined) return [line(`  not tried: ${outcome.reason}`, 'warning')]
    const { pairs, solved, fresh } = outcome.trial
    return [
      [
        { text: ' '.repeat(subjects) },
        { text: 'crossed'.padEnd(verdicts), tone: 'title' },
        { text: 'would cross', tone: 'title' },
      ],
      ...pairs.map(
        ({ subject, before, after }): Line => [
          ...fitLine([{ text: `  ${cutMiddle(subject, subjects - 3)}` }], subjects - 1),
          { text: ' ' },
          ...fitLine([{ text: before, tone: 'faint' }], verdicts - 1),
          { text: ' ' },
          { text: after, tone: before === after ? 'faint' : 'strong' },
        ],
      ),
      ...listed('solved', '✓', solved),
      ...listed('new', '✗', fresh),
    ]
  }

  act(act: Act): void {
    if (this.#cursor.move(act, NAMES.length)) this.#try()
  }

  exported(): Exported {
    return {
      title: `What if ${this.#diff.handoff.id} of run ${this.#analysis.run.id} had been handed over as ${NAMES[this.#cursor.at]}`,
      lines: (width) => this.#about(width).map((row) => fitLine(row, width)),
      json: () => jsonDocument('what-if', { handoffs: this.#tried() }),
    }
  }

  #tried() {
    const { id, attempt, from, to } = this.#diff.handoff
    const about = { run: this.#analysis.run.id, handoff: id, attempt, from, to }
    return [...this.#outcomes].map(([style, outcome]) => ({ style, ...trialJson({ ...about, ...outcome }) }))
  }

  close(): void {
    this.#closed = true
  }

  /** Tries the selected style once, and of a short run the others after it; painted first, since a long run is judged twice. */
  #try(name: StyleName = NAMES[this.#cursor.at]!): void {
    if (this.#closed || this.#outcomes.has(name)) return
    const tried = new Promise<Outcome>((done, failed) =>
      setTimeout(() => {
        try {
          done(outcomeOf(name, this.#analysis, this.#diff, this.#session.source.judging))
        } catch (error) {
          failed(error)
        }
      }, 20),
    )
    void this.#session.during(`trying ${name}`, tried, (outcome) => {
      this.#outcomes.set(name, outcome)
      const next = NAMES.find((other) => !this.#outcomes.has(other))
      if (next !== undefined && this.#analysis.run.events.length <= SHORT_RUN) this.#try(next)
    })
  }
}

function outcomeOf(
  name: StyleName,
  analysis: Judged,
  { handoff }: HandoffDiff,
  { suppressions, ...judging }: Judging,
): Outcome {
  const { input, ...missing } = { reason: '', ...filterInput(analysis.run, handoff) }
  if (input === undefined) return missing
  const options = { ...judging, accepted: { suppressions, today: today() } }
  const read = readOutput(STYLES[name](structuredClone(input)), handoff.receipts[0]?.event.record)
  return read.payload === undefined ? read : { trial: whatIf(analysis, handoff, read.payload, options) }
}

function summary(outcome: Outcome | undefined): Line {
  if (outcome?.trial === undefined) return []
  const { solved, fresh, bytes: size } = outcome.trial
  return [
    { text: `${solved.length} solved  `, tone: solved.length > 0 ? 'good' : 'faint' },
    { text: `${fresh.length} new  `, tone: fresh.length > 0 ? 'error' : 'faint' },
    { text: `${bytes(size.before)} → ${bytes(size.after)}`, tone: 'faint' },
  ]
}

function listed(title: string, sign: string, findings: readonly Finding[]): Line[] {
  if (findings.length === 0) return []
  return [
    line(`  ${title}: ${plural(findings.length, 'finding')}`, 'title'),
    ...findings.map(
      ({ check, severity, subject }): Line => [
        { text: `  ${sign} ` },
        { text: check, tone: severityTone(severity) },
        { text: `  ${subject.id}`, tone: 'faint' },
      ],
    ),
  ]
}
