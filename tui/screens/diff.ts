import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import type { Judged } from '../../report/accepted.ts'
import { diffJson } from '../../report/diff-json.ts'
import { jsonDocument } from '../../report/json-document.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { beside, block, excerpt, fitLine, type Line, line, rule, wrapStatement } from '../lines.ts'
import { type CrossingRows, crossingRows } from '../rows/crossing-lines.ts'
import { handoffHeading, receiverTitle, senderTitle, tabBar } from '../rows/diff-heading.ts'
import type { DiffRow } from '../rows/diff-row.ts'
import { nameShown } from '../rows/name-shown.ts'
import { payloadLines } from '../rows/payload-lines.ts'
import { holdsPath, type PayloadRow, payloadRows } from '../rows/payload-rows.ts'
import { runTitle } from '../rows/run-title.ts'
import { tabLines } from '../rows/tab-lines.ts'
import { findingsOn, firstTab, rowsOf, TABS, type Tab } from '../rows/tabs.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import type { Side } from './compare.ts'
import { ViewerScreen } from './viewer.ts'
import { WhatIfScreen } from './what-if.ts'

const WIDE = 110

/** What the sender's runtime knew on the left, what the receiver got on the right, a verdict between them. */
export class DiffScreen implements Screen {
  readonly name = 'diff'
  analysis: Judged
  readonly #session: Session
  #diff: HandoffDiff
  #tab: Tab = 'operations'
  #rows: Record<string, DiffRow[]> = {}
  #payload: PayloadRow[] = []
  #atReceiver = false
  #left = new Cursor()
  #right = new Cursor()
  #top = 0

  constructor(session: Session, analysis: Judged, diff: HandoffDiff, at?: { tab: Tab; id?: string }) {
    this.#session = session
    this.analysis = analysis
    this.#diff = diff
    this.#show(diff, at?.tab ?? firstTab(diff, analysis.findings))
    const row = this.#current().findIndex(({ id, subject }) => id === at?.id || subject === at?.id)
    this.#left.to(row, this.#current().length)
    this.#followEvidence()
  }

  title(): Line {
    return runTitle(this.analysis)
  }

  lines({ width, height }: Size): Line[] {
    const below = Math.max(4, Math.min(9, Math.floor(height * 0.3)))
    const panes = height - 2 - below
    return [
      fitLine(this.#heading(), width),
      fitLine(this.#tabs(width), width),
      ...this.#panes(width, panes),
      ...this.#detail(width, below),
    ]
  }

  #heading(): Line {
    const { diffs } = this.analysis
    return handoffHeading(this.#diff, diffs.indexOf(this.#diff) + 1, diffs.length, this.#session.traceLink)
  }

  #tabs(width: number): Line {
    return tabBar(TABS, this.#tab, (tab) => this.#rowsOf(tab), width)
  }

  #panes(width: number, height: number): Line[] {
    const middle = width >= WIDE ? 16 : 3
    const left = Math.floor((width - middle) * 0.46)
    const right = width - middle - left
    const rows = this.#current()
    const made: CrossingRows = crossingRows(rows, {
      left,
      middle,
      right: this.#tab === 'operations' ? 0 : right,
      selected: this.#atReceiver ? -1 : this.#left.at,
      lit: this.#atReceiver ? this.#litRows() : new Set(),
      top: this.#top,
      height: height - 1,
      empty: this.#emptyText(),
    })
    this.#top = made.top
    const titles = fitLine(
      [
        ...rule(senderTitle(this.#diff, this.#tab), left, !this.#atReceiver),
        { text: ' '.repeat(middle) },
        ...rule(receiverTitle(this.#diff), right, this.#atReceiver),
      ],
      width,
    )
    if (this.#tab !== 'operations') return [titles, ...block(made.lines, width, height - 1)]
    const sender = block(made.lines, left + middle, height - 1)
    return [
      titles,
      ...beside(
        [
          sender,
          payloadLines(this.#payload, {
            width: right,
            height: height - 1,
            cursor: this.#right,
            row: this.#atReceiver ? undefined : this.#current()[this.#left.at],
          }),
        ],
        { text: '' },
      ),
    ]
  }

  /** With the cursor at the receiver: the rows of the sender that rest on what it is on. */
  #litRows(): Set<number> {
    const part = this.#payload[this.#right.at]
    const lit = this.#current().flatMap(({ rests }, index) =>
      part !== undefined && rests.some((path) => holdsPath(part, path)) ? [index] : [],
    )
    return new Set(lit)
  }

  #detail(width: number, height: number): Line[] {
    const row = this.#current()[this.#left.at]
    const lines: Line[] = []
    for (const { text, tone } of row?.detail ?? []) {
      for (const part of wrapStatement(text, width - 2)) lines.push(line(` ${part}`, tone))
    }
    for (const { severity, check } of this.#findingsOf(row)) {
      lines.push([
        { text: ` ${severity} `, tone: severity === 'error' ? 'error' : 'warning' },
        { text: check },
      ])
    }
    return [
      rule(row === undefined ? '' : `${nameShown(row.id, Math.floor(width / 2))} — ${row.verdict}`, width),
      ...excerpt(lines, width, height - 1),
    ]
  }

  #findingsOf(row: DiffRow | undefined): Finding[] {
    const here = findingsOn(this.#tab, this.#diff, this.analysis.findings)
    return here.filter(({ subject }) => subject.id === row?.subject)
  }

  #emptyText(): string {
    if (!this.#diff.complete && this.#tab !== 'sizes') return 'one side is not in the log: not judged'
    if (this.#tab === 'items') return 'items were not captured on both sides'
    return `no ${this.#tab} were known by then`
  }

  act(act: Act): void {
    if (act === 'nextTab' || act === 'previousTab') this.#turn(act === 'nextTab' ? 1 : -1)
    else if (act === 'nextPane') this.#cross()
    else if (act === 'nextHandoff' || act === 'previousHandoff')
      this.#otherHandoff(act === 'nextHandoff' ? 1 : -1)
    else if (act === 'whatIf') this.#session.push(new WhatIfScreen(this.#session, this.analysis, this.#diff))
    else if (act === 'open' || act === 'inspect') this.#open()
    else if (this.#atReceiver) this.#right.move(act, this.#payload.length)
    else if (this.#left.move(act, this.#current().length)) this.#followEvidence()
  }

  disabled(act: Act): string | undefined {
    if (act === 'nextPane' && this.#tab !== 'operations') return 'both sides stand in one row here'
    if ((act === 'nextHandoff' || act === 'previousHandoff') && this.analysis.diffs.length < 2)
      return 'this is the only handoff of the run'
    return undefined
  }

  copied() {
    const row = this.#current()[this.#left.at]
    if (this.#atReceiver) {
      const part = this.#payload[this.#right.at]
      return part?.value === undefined
        ? undefined
        : { text: JSON.stringify(part.value), what: `${part.path} as JSON` }
    }
    if (row === undefined) return undefined
    return {
      text: [...row.left, ...row.detail.map(({ text }) => text)].join('\n'),
      what: `what is said of ${row.id}`,
    }
  }

  exported(): Exported {
    return {
      title: `Handoff ${this.#diff.handoff.id} of run ${this.analysis.run.id}`,
      lines: (width) => [
        fitLine(this.#heading(), width),
        ...TABS.flatMap((tab) => tabLines(tab, this.#rowsOf(tab), width)),
        line(''),
        fitLine(line(receiverTitle(this.#diff), 'title'), width),
        ...this.#payload.map((row) => fitLine(line(`  ${row.text}`), width)),
      ],
      json: () => jsonDocument('diff', { run: this.analysis.run.id, handoffs: [diffJson(this.#diff)] }),
    }
  }

  adopt(analysis: Judged): void {
    const { id, attempt } = this.#diff.handoff
    const diff = analysis.diffs.find(({ handoff }) => handoff.id === id && handoff.attempt === attempt)
    if (analysis.run.id !== this.analysis.run.id || diff === undefined) return
    this.analysis = analysis
    this.#diff = diff
    this.#rows = {}
    this.#payload = payloadRows(diff)
  }

  side(): Side {
    return { analysis: this.analysis, diff: this.#diff }
  }

  /** True if this screen shows the run. */
  shows(analysis: Judged): boolean {
    return analysis === this.analysis
  }

  #show(diff: HandoffDiff, tab: Tab): void {
    this.#diff = diff
    this.#tab = tab
    this.#rows = {}
    this.#payload = payloadRows(diff)
    this.#left = new Cursor()
    this.#right = new Cursor()
    this.#top = 0
    this.#atReceiver = false
  }

  #rowsOf(tab: Tab): DiffRow[] {
    this.#rows[tab] ??= rowsOf(tab, this.#diff, this.analysis.findings)
    return this.#rows[tab]
  }

  #current(): DiffRow[] {
    return this.#rowsOf(this.#tab)
  }

  #turn(by: 1 | -1): void {
    this.#tab = TABS[(TABS.indexOf(this.#tab) + by + TABS.length) % TABS.length]!
    this.#left = new Cursor()
    this.#top = 0
    this.#atReceiver = false
    this.#followEvidence()
  }

  #cross(): void {
    this.#atReceiver = !this.#atReceiver
    if (!this.#atReceiver) this.#followEvidence()
  }

  /** Brings into sight what the selected row rests on. */
  #followEvidence(): void {
    const row = this.#current()[this.#left.at]
    const at = this.#payload.findIndex((part) => row?.rests.some((path) => holdsPath(part, path)))
    if (at >= 0) this.#right.to(at, this.#payload.length)
  }

  #otherHandoff(by: 1 | -1): void {
    const { diffs } = this.analysis
    const next = diffs[diffs.indexOf(this.#diff) + by]
    if (next === undefined) this.#session.say(`no handoff ${by > 0 ? 'after' : 'before'} this one`)
    else {
      this.#show(next, this.#tab)
      this.#followEvidence()
    }
  }

  #open(): void {
    const row = this.#current()[this.#left.at]
    const part = this.#payload[this.#right.at]
    if (this.#atReceiver && part?.value !== undefined)
      this.#session.push(new ViewerScreen(this.#session, part.path, part.value))
    else if (!this.#atReceiver && row?.value !== undefined)
      this.#session.push(new ViewerScreen(this.#session, `${this.#tab} ${row.id}`, row.value, row.change))
    else this.#session.say('there is nothing captured behind this row')
  }
}
