import { plural } from '../model/counts.ts'
import type { Finding } from '../replay/finding.ts'
import { isExpired } from '../replay/suppress.ts'
import { accept, today } from '../report/accepted.ts'
import type { Refused } from '../store/log-files.ts'
import type { Unread } from '../store/readable-files.ts'
import { type LookedAt, lookAtEach } from './analyses.ts'
import { readBaseline, writeBaseline } from './baseline.ts'
import { complain } from './complain.ts'
import { type Config, loadConfig } from './config/load.ts'
import { note } from './output.ts'
import { refusalNotes } from './refusal-notes.ts'
import { type JudgedRun, type Report, unreadLines } from './report/report.ts'

/** What decides over the exit code, and where the accepted findings are. */
export type JudgeOptions = {
  dir: string
  failOn: 'error' | 'warning' | 'new'
  config?: string
  baseline?: string
  updateBaseline?: boolean
}

/**
 * `failed`: a finding counts. `incomplete`: not all of what was named could be read. `accepted`: how many findings the baseline
 * holds now, if it was updated.
 */
export type Judgement = { failed: boolean; incomplete: boolean; accepted?: number | undefined }

/** Judges what the arguments name, run by run, and reports each. Only findings are held until the end. */
export async function judgeRuns(
  names: readonly string[],
  options: JudgeOptions,
  report: Report,
): Promise<Judgement> {
  const config = await loadConfig(options.config)
  noteExpired(config, today())
  const baseline =
    options.baseline === undefined
      ? undefined
      : await readBaseline(options.baseline, { create: options.updateBaseline === true })
  const known = options.updateBaseline ? new Set<string>() : (baseline?.fingerprints ?? new Set())
  const refused: Refused[] = []
  const noteRefused = refusalNotes()
  const refuse = (one: Refused) => {
    noteRefused(one)
    refused.push(one)
  }
  const unread: Unread[] = []
  const pass = (one: Unread) => {
    complain({ message: one.reason, remedy: one.remedy })
    unread.push(one)
  }
  const met = new Map<string, Finding>()
  const progress = new Progress()
  let failed = false
  for await (const looked of lookAtEach(names, options.dir, config.settings, { refuse, pass })) {
    const judged = judge(looked, config, known, options.failOn)
    report.add(judged)
    progress.judged(judged.analysis.run.events.length)
    for (const finding of judged.analysis.findings) {
      failed ||= judged.fails(finding)
      if (baseline !== undefined) met.set(finding.fingerprint, finding)
    }
  }
  progress.end()
  const incomplete = unread.length > 0
  await report.end({
    runs: progress.runs,
    refused,
    unread,
    baseline: baseline && compare(baseline.file, known, met),
  })
  if (refused.length > 0) note(`${unreadLines(refused.length)}.`)
  if (!options.updateBaseline || options.baseline === undefined) return { failed, incomplete }
  if (incomplete) {
    // What was known of the rest would be gone from it.
    note(`${options.baseline} stays as it was: not everything could be read.`)
    return { failed: false, incomplete }
  }
  return { failed: false, incomplete, accepted: await writeBaseline(options.baseline, [...met.values()]) }
}

// Quick work says nothing; longer work says where it is, this often.
const EVERY_MILLISECONDS = 1000

/** Says on stderr how far a long check has come, and at its end how fast it was. */
class Progress {
  runs = 0
  #events = 0
  readonly #start = performance.now()
  #said = this.#start

  judged(events: number): void {
    this.runs++
    this.#events += events
    if (this.runs === 1 || performance.now() - this.#said < EVERY_MILLISECONDS) return
    this.#said = performance.now()
    note(`judging: ${plural(this.runs, 'run')}`)
  }

  end(): void {
    const seconds = (performance.now() - this.#start) / 1000
    if (this.#said === this.#start) return
    const rate = Math.round(this.#events / seconds)
    note(
      `judged ${plural(this.runs, 'run')}, ${plural(this.#events, 'event')} in ${seconds.toFixed(1)} s (${rate} events/s)`,
    )
  }
}

function judge(
  { analysis, placeOf }: LookedAt,
  { suppressions }: Config,
  known: ReadonlySet<string>,
  failOn: JudgeOptions['failOn'],
): JudgedRun {
  const judged = accept(analysis, suppressions)
  const isKnown = ({ fingerprint }: Finding) => known.has(fingerprint)
  const failing = FAILING[failOn]
  return {
    analysis: judged,
    suppressed: judged.suppressed,
    isKnown,
    fails: (finding) => failing.includes(finding.severity) && !isKnown(finding),
    placeOf: ({ evidence, handoff }) => {
      const own = analysis.run.handoffs.find(({ id }) => id === handoff)
      const steps = [...evidence.map(({ step }) => step), own?.sent?.step, own?.receipts[0]?.step, 0]
      for (const step of steps) {
        const place = step === undefined ? undefined : placeOf(step)
        if (place !== undefined) return place
      }
      return undefined
    },
  }
}

const FAILING: Record<JudgeOptions['failOn'], readonly string[]> = {
  error: ['error'],
  warning: ['error', 'warning'],
  new: ['error', 'warning', 'info'],
}

function compare(file: string, known: ReadonlySet<string>, met: ReadonlyMap<string, Finding>) {
  const gone = [...known].filter((fingerprint) => !met.has(fingerprint)).length
  return { file, known: known.size - gone, gone }
}

/** An exception that has run out is said out loud: its findings count again, and somebody wonders why. */
function noteExpired({ file, suppressions }: Config, day: string): void {
  for (const [index, suppression] of suppressions.entries()) {
    if (!isExpired(suppression, day)) continue
    const { check, fingerprint, agents, until, reason } = suppression
    const what = [check, fingerprint, agents?.join(', ')].filter((part) => part !== undefined).join(' ')
    note(`${file}: suppressions.${index} (${what}) ended on ${until} and no longer holds: ${reason}`)
  }
}
