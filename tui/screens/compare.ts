import { commandWords, optionWords } from '../../model/command-words.ts'
import { compareHandoffs, type HandoffComparison } from '../../replay/compare.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { receiverOf } from '../../replay/phrase.ts'
import type { Judged } from '../../report/accepted.ts'
import { comparisonJson } from '../../report/comparison-json.ts'
import { comparisonVerdict } from '../../report/comparison-words.ts'
import { jsonDocument } from '../../report/json-document.ts'
import type { Act } from '../act.ts'
import { Cursor } from '../cursor.ts'
import { block, cutMiddle, excerpt, fitLine, type Line, line, rule, wrapStatement } from '../lines.ts'
import { cannotBeNamed } from '../paste.ts'
import { compareRows } from '../rows/compare-rows.ts'
import { crossingRows } from '../rows/crossing-lines.ts'
import type { DiffRow } from '../rows/diff-row.ts'
import { nameShown } from '../rows/name-shown.ts'
import { runTitle } from '../rows/run-title.ts'
import { tabLines } from '../rows/tab-lines.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import { ViewerScreen } from './viewer.ts'

/** A handoff and the run that it is of. */
export type Side = { analysis: Judged; diff: HandoffDiff }

const WIDE = 110

/** Two handoffs side by side: what one payload had that the other lacks. Leads back to either. */
export class CompareScreen implements Screen {
  readonly name = 'compare'
  readonly #session: Session
  readonly #a: Side
  readonly #b: Side
  readonly #comparison: HandoffComparison
  readonly #rows: DiffRow[]
  readonly #openDiff: (side: Side) => void
  readonly #cursor = new Cursor()
  #top = 0

  constructor(session: Session, a: Side, b: Side, openDiff: (side: Side) => void) {
    this.#session = session
    this.#a = a
    this.#b = b
    this.#openDiff = openDiff
    this.#comparison = compareHandoffs(a.diff, b.analysis, b.diff)
    this.#rows = compareRows(this.#comparison)
  }

  title(): Line {
    return runTitle(this.#a.analysis)
  }

  lines({ width, height }: Size): Line[] {
    const below = Math.max(3, Math.min(6, Math.floor(height * 0.25)))
    const middle = width >= WIDE ? 16 : 3
    const left = Math.floor((width - middle) / 2)
    const right = width - middle - left
    const verdict = this.#verdict(width)
    const room = height - 1 - verdict.length - below
    const rows = crossingRows(this.#rows, {
      left,
      middle,
      right,
      selected: this.#cursor.at,
      lit: new Set(),
      top: this.#top,
      height: room,
      empty: 'there is nothing to compare',
    })
    this.#top = rows.top
    return [
      ...verdict,
      fitLine(
        [
          ...rule(`a  ${nameOf(this.#a, left - 10)}`, left, true),
          { text: ' '.repeat(middle) },
          ...rule(`b  ${nameOf(this.#b, right - 10)}`, right, true),
        ],
        width,
      ),
      ...block(rows.lines, width, room),
      ...this.#detail(width, below),
    ]
  }

  #verdict(width: number): Line[] {
    const { text, bad } = comparisonVerdict(this.#comparison)
    return wrapStatement(text, width - 2).map((part) =>
      fitLine(line(` ${part}`, bad ? 'error' : 'strong'), width),
    )
  }

  #detail(width: number, height: number): Line[] {
    const row = this.#rows[this.#cursor.at]
    const lines = (row?.detail ?? []).flatMap(({ text, tone }) =>
      wrapStatement(text, width - 2).map((part) => line(` ${part}`, tone)),
    )
    return [rule(row === undefined ? '' : row.id, width), ...excerpt(lines, width, height - 1)]
  }

  act(act: Act): void {
    if (act === 'open' || act === 'inspect') this.#open()
    else if (act === 'nextPane') this.#openDiff(this.#b)
    else this.#cursor.move(act, this.#rows.length)
  }

  copied() {
    const { paste, source } = this.#session
    const sides = [this.#a, this.#b]
    const runs = sides.flatMap(({ analysis }) => source.called(analysis.run.id) ?? [])
    if (runs.length < sides.length) return undefined
    const handoffs = sides.map(({ diff }) => diff.handoff.id)
    const text = paste(commandWords('compare', runs, optionWords('--handoff', handoffs)))
    return { text, what: 'the command that compares them' }
  }

  disabled(act: Act): string | undefined {
    return act === 'copy' && this.copied() === undefined ? cannotBeNamed(this.#session) : undefined
  }

  exported(): Exported {
    const [a, b] = [this.#a, this.#b]
    return {
      title: `${nameOf(a, 60)} compared with ${nameOf(b, 60)}`,
      lines: (width) => [...this.#verdict(width), ...tabLines('where they differ', this.#rows, width)],
      json: () =>
        jsonDocument('compare', {
          a: a.analysis.run.id,
          b: b.analysis.run.id,
          ...comparisonJson({ handoffs: [this.#comparison], onlyA: [], onlyB: [] }),
        }),
    }
  }

  #open(): void {
    const row = this.#rows[this.#cursor.at]
    if (row?.value === undefined) this.#session.say('there is nothing captured behind this row')
    else this.#session.push(new ViewerScreen(this.#session, row.id, row.value, row.change))
  }
}

/** `order-4711 h-1 orders → billing`. */
function nameOf({ analysis, diff: { handoff } }: Side, width: number): string {
  const attempt = handoff.attempt > 1 ? ` attempt ${handoff.attempt}` : ''
  const rest = ` ${nameShown(handoff.id)}${attempt}  ${nameShown(handoff.from ?? '?')} → ${nameShown(receiverOf(handoff))}`
  return `${cutMiddle(analysis.run.id, Math.max(8, width - rest.length))}${rest}`
}
