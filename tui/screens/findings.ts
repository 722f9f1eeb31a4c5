import { plural } from '../../model/counts.ts'
import { checks } from '../../replay/catalogue/index.ts'
import { type Judged, suppressedWords } from '../../report/accepted.ts'
import { jsonDocument } from '../../report/json-document.ts'
import type { Act } from '../act.ts'
import { Cursor, placeOf } from '../cursor.ts'
import { block, excerpt, fitLine, type Line, line, rule } from '../lines.ts'
import {
  type FindingRow,
  findingDetail,
  findingLine,
  findingRows,
  type Grouping,
} from '../rows/finding-rows.ts'
import { runTitle, severityCounts } from '../rows/run-title.ts'
import type { Exported, Screen, Size } from '../screen.ts'
import type { Session } from '../session.ts'
import type { ListedFinding } from '../source.ts'
import { evidenceOf } from './evidence.ts'
import { ReplayScreen } from './replay.ts'
import { TextScreen, textLines } from './text.ts'
import { ViewerScreen } from './viewer.ts'

const MOST_OF_ALL_RUNS = 2000

/** Findings of one run or of all, under their check or their pair of agents. */
export class FindingsScreen implements Screen {
  readonly name = 'findings'
  readonly #session: Session
  #of: Judged | undefined
  readonly #cursor = new Cursor()
  #findings: ListedFinding[] | undefined
  #total = 0
  #suppressed = 0
  /** Runs that were looked at. */
  #runs = 1
  #by: Grouping = 'check'
  #rows: FindingRow[] = []

  constructor(session: Session, of: Judged | undefined) {
    this.#session = session
    this.#of = of
    if (of !== undefined) this.#take(of.findings, of.findings.length, of.suppressed.length)
    else void this.reload()
  }

  async reload(): Promise<void> {
    if (this.#of !== undefined) return
    const { source } = this.#session
    const asked = Promise.all([source.findings(MOST_OF_ALL_RUNS), source.count({ terms: [], sort: 'time' })])
    await this.#session.during('reading findings', asked, ([{ findings, total, suppressed }, runs]) => {
      this.#runs = runs
      this.#take(findings, total, suppressed)
    })
  }

  adopt(analysis: Judged): void {
    if (this.#of === undefined || analysis.run.id !== this.#of.run.id) return
    this.#of = analysis
    this.#take(analysis.findings, analysis.findings.length, analysis.suppressed.length)
  }

  title(): Line {
    if (this.#of !== undefined) return runTitle(this.#of)
    return [
      { text: 'findings of all runs  ', tone: 'strong' },
      ...(this.#findings === undefined ? [] : severityCounts(this.#findings)),
    ]
  }

  lines({ width, height }: Size): Line[] {
    const below = Math.max(5, Math.floor(height * 0.4))
    const { start, end } = this.#cursor.window(height - 1 - below, this.#rows.length)
    const rows = this.#rows
      .slice(start, end)
      .map((row, index) =>
        findingLine(row, this.#by, this.#of === undefined, start + index === this.#cursor.at),
      )
    const bound =
      this.#total > (this.#findings?.length ?? 0)
        ? `, the gravest ${placeOf(this.#findings!.length, this.#total)}`
        : ''
    return [
      rule(`findings by ${this.#by}${bound}${this.#accepted()}`, width, true),
      ...block(rows.length === 0 ? [this.#empty()] : rows, width, height - 1 - below),
      ...this.#detail(width, below),
    ]
  }

  /** What the project accepts is not listed, and not hidden either. */
  #accepted(): string {
    const count = this.#suppressed
    return count === 0 ? '' : ` · ${count} accepted by the project's configuration`
  }

  #empty(): Line {
    if (this.#findings === undefined) return line('  reading …', 'faint')
    if (this.#runs === 0) return line('  no runs yet, so nothing was looked at', 'faint')
    const where = this.#of === undefined ? 'in any run' : 'in this run'
    return line(`  no findings ${where}: ${plural(checks.length, 'check')} looked and found nothing`, 'good')
  }

  #detail(width: number, height: number): Line[] {
    const row = this.#rows[this.#cursor.at]
    const check = checks.find(
      ({ id }) => id === row?.finding?.check || (row?.finding === undefined && id === row?.heading),
    )
    if (row?.finding !== undefined) {
      const lines = findingDetail(row.finding, width - 2).map((one): Line => [{ text: ' ' }, ...one])
      return [rule(check?.title ?? row.finding.check, width), ...excerpt(lines, width, height - 1)]
    }
    const about =
      check === undefined ? [] : textLines([{ text: check.question }, { text: check.title }], width - 2)
    return [
      rule(row?.heading ?? '', width),
      ...excerpt(
        about.map((one): Line => [{ text: ' ' }, ...one]),
        width,
        height - 1,
      ),
    ]
  }

  act(act: Act): void {
    const finding = this.#rows[this.#cursor.at]?.finding ?? this.#rows[this.#cursor.at + 1]?.finding
    if (act === 'group') {
      this.#by = this.#by === 'check' ? 'pair' : 'check'
      this.#rows = findingRows(this.#findings ?? [], this.#by)
      this.#cursor.to(0, this.#rows.length)
    } else if (act === 'open' && finding !== undefined) this.#goTo(finding)
    else if (act === 'definition' && finding !== undefined) this.#define(finding.check)
    else if (act === 'inspect' && finding !== undefined)
      this.#session.push(new ViewerScreen(this.#session, `finding ${finding.check}`, finding))
    else this.#cursor.move(act, this.#rows.length)
  }

  disabled(act: Act): string | undefined {
    const needsOne = act === 'open' || act === 'definition' || act === 'inspect'
    return needsOne && this.#rows.length === 0 ? 'there is no finding here' : undefined
  }

  search(text: string, direction: 1 | -1): boolean {
    const needle = text.toLowerCase()
    for (let at = this.#cursor.at + direction; at >= 0 && at < this.#rows.length; at += direction) {
      const row = this.#rows[at]!
      const words = row.finding === undefined ? row.heading : JSON.stringify(row.finding)
      if (!words.toLowerCase().includes(needle)) continue
      this.#cursor.to(at, this.#rows.length)
      return true
    }
    return false
  }

  copied() {
    const finding = this.#rows[this.#cursor.at]?.finding
    if (finding === undefined) return undefined
    const text = findingDetail(finding, 100)
      .map((one) => one.map((span) => span.text).join(''))
      .join('\n')
    return { text, what: `the finding ${finding.check}` }
  }

  exported(): Exported {
    return {
      title: this.#of === undefined ? 'Findings of all runs' : `Findings of run ${this.#of.run.id}`,
      lines: (width) => [
        ...(this.#rows.length === 0 ? [this.#empty()] : []),
        ...this.#rows
          .flatMap((row) =>
            row.finding === undefined
              ? [line(''), line(row.heading, 'title')]
              : [
                  fitLine(findingLine(row, this.#by, this.#of === undefined, false), width),
                  ...findingDetail(row.finding, width),
                ],
          )
          .concat(suppressedWords(this.#of?.suppressed ?? []).map((words) => line(words, 'faint'))),
      ],
      json: () =>
        jsonDocument('findings', {
          findings: this.#findings ?? [],
          total: this.#total,
          ...(this.#of === undefined ? {} : { suppressed: this.#of.suppressed }),
        }),
    }
  }

  shows(analysis: Judged | undefined): boolean {
    return analysis === this.#of
  }

  #take(findings: ListedFinding[], total: number, suppressed: number): void {
    this.#suppressed = suppressed
    this.#findings = findings
    this.#total = total
    this.#rows = findingRows(findings, this.#by)
  }

  /** To the row of the diff that it is about, or to the step that it points to. */
  #goTo(finding: ListedFinding): void {
    const open = (analysis: Judged) => {
      this.#session.analysis = analysis
      this.#session.push(
        evidenceOf(this.#session, analysis, finding) ??
          new ReplayScreen(this.#session, analysis, finding.evidence[0]?.step),
      )
    }
    if (this.#of !== undefined) open(this.#of)
    else void this.#session.during(`reading ${finding.run}`, this.#session.source.analysis(finding.run), open)
  }

  #define(id: string): void {
    const check = checks.find((one) => one.id === id)
    if (check === undefined) {
      this.#session.say(`${id} is a check of another version: it has no page here`)
      return
    }
    const parts = [
      { heading: `${check.id} (${check.severity})`, text: check.title },
      { heading: 'the question', text: check.question },
      { heading: 'when it is raised, and when not', text: check.definition },
    ]
    this.#session.push(new TextScreen(check.id, (width) => textLines(parts, width)))
  }
}
