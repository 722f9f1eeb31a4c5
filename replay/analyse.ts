import { textOf } from '../model/json.ts'
import type { RunEvent } from '../model/run-log.ts'
import { isShaped } from '../model/shape.ts'
import { estimateByBytes, type TokenCounter } from '../model/tokens.ts'
import { checks } from './catalogue/index.ts'
import type { Check, CheckInput } from './check.ts'
import { diffHandoff } from './diff/diff.ts'
import type { HandoffDiff } from './diff/handoff-diff.ts'
import { whyPart, whyUndeclared, whyUnread, whyUnseen } from './facts/left-out.ts'
import { completeFinding, type Draft, type Finding, type NotJudged } from './finding.ts'
import { foldRun } from './fold/fold.ts'
import { joinOrphans } from './join-orphans.ts'
import { beginAnalysis } from './remembered.ts'
import type { Run } from './run.ts'
import { applySettings, type Settings } from './settings.ts'

/** A run, its handoffs diffed, and what the checks say of it. */
export type Analysis = { run: Run; diffs: HandoffDiff[]; findings: Finding[]; notJudged: NotJudged[] }

/** How runs are analysed: how tokens are counted (estimated if left out), and what the user configured. */
export type AnalysisOptions = { tokens?: TokenCounter | undefined; settings?: Settings | undefined }

/**
 * Folds, diffs and checks one run. `events` are its run log in any order; `related` holds the logs of runs that are
 * judged together with it. Calls nothing and keeps nothing: the same events and options give the same analysis.
 */
export function analyse(
  events: readonly RunEvent[],
  options: AnalysisOptions & { related?: readonly (readonly RunEvent[])[] } = {},
): Analysis {
  beginAnalysis()
  const judged = diffRun(events, options)
  return checkRun(
    judged,
    (options.related ?? []).map((log) => diffRun(log, options)),
    options.settings,
  )
}

/**
 * Judges several logs together: one analysis a run, in the order in which the runs first appear. A hop that only its trace
 * links to its sender is judged in the sender's run.
 */
export function analyseTogether(events: readonly RunEvent[], options: AnalysisOptions = {}): Analysis[] {
  beginAnalysis()
  const logs = new Map<string, RunEvent[]>()
  for (const event of joinOrphans(events)) {
    const log = logs.get(event.run)
    if (log === undefined) logs.set(event.run, [event])
    else log.push(event)
  }
  const judged = [...logs.values()].map((log) => diffRun(log, options))
  return judged.map((one) =>
    checkRun(
      one,
      judged.filter((other) => isRelated(one.run, other.run)),
      options.settings,
    ),
  )
}

/** Two runs are related when one repeats the other, or both repeat the same. */
function isRelated(a: Run, b: Run): boolean {
  if (a === b) return false
  return a.replayOf === b.id || b.replayOf === a.id || (a.replayOf !== undefined && a.replayOf === b.replayOf)
}

type Diffed = Pick<CheckInput, 'run' | 'diffs'>

function diffRun(
  events: readonly RunEvent[],
  { tokens = estimateByBytes, settings = {} }: AnalysisOptions,
): Diffed {
  const run = foldRun(applySettings(events, settings))
  return { run, diffs: run.handoffs.map((handoff) => diffHandoff(run, handoff, tokens, settings.detectors)) }
}

function checkRun(judged: Diffed, related: Diffed[], settings: Settings = {}): Analysis {
  const input: CheckInput = { ...judged, related, thresholds: settings.thresholds ?? {} }
  const run = judged.run.id
  const withoutWords = judged.run.events.some(isShaped)
  const findings: Finding[] = []
  const notJudged: NotJudged[] = []
  for (const check of checks) {
    const severity = settings.severities?.[check.id]
    if (severity === 'off') continue
    const [whole, parts] = check.needsWholePayload ? splitByPayload(judged.diffs) : [judged.diffs, []]
    const result = check.check({ ...input, diffs: whole })
    for (const draft of result.findings) {
      const reason = whyHidden(check, judged.diffs, draft)
      if (reason !== undefined) notJudged.push({ check: check.id, run, handoff: draft.handoff, reason })
      else findings.push(completeFinding(check, run, severity === undefined ? draft : { ...draft, severity }))
    }
    const unsaid = withoutWords && check.judgesByWords && result.findings.length === 0 ? [NO_WORDS] : []
    for (const gap of [...(result.notJudged ?? []), ...parts, ...unsaid])
      notJudged.push({ check: check.id, run, ...gap })
  }
  return { ...judged, findings, notJudged: [...notJudged, ...notRead(judged.run)] }
}

/** What no check could judge by: fields that could not be read. */
function notRead(run: Run): NotJudged[] {
  return run.events.flatMap((event, step) =>
    (event.not_read ?? []).map((reason) => ({
      check: '*',
      run: run.id,
      handoff: textOf(event.handoff),
      reason: `event ${step + 1}: ${reason}; it is left out`,
    })),
  )
}

const NO_WORDS = { reason: 'what was said, asked and answered is in the log by size and hash only' }

/** Why what is missed may be there after all: in words, or in an entry, that nobody could read. */
function whyHidden(check: Check, diffs: readonly HandoffDiff[], { handoff }: Draft): string | undefined {
  const isSearched = check.searchesWordsOf !== undefined || check.needsWholePayload === true
  if (!isSearched || handoff === undefined) return undefined
  const whys = diffs.filter((diff) => diff.handoff.id === handoff).map((diff) => whyUncertain(check, diff))
  return whys.find((why) => why !== undefined)
}

function whyUncertain({ searchesWordsOf }: Check, { sent, receipt }: HandoffDiff): string | undefined {
  if (searchesWordsOf !== undefined) {
    return (receipt && whyUnseen(receipt, searchesWordsOf)) ?? whyUndeclared(sent)
  }
  return receipt && whyUnread(receipt)
}

type Part = { handoff: string; reason: string }

/** Handoffs whose payload the log holds whole, and those of which something else holds the rest. */
function splitByPayload(diffs: HandoffDiff[]): [whole: HandoffDiff[], parts: Part[]] {
  const parts = new Map<HandoffDiff, Part>()
  for (const diff of diffs) {
    const reason = whyPart(diff.sent, diff.receipt)
    if (reason !== undefined) parts.set(diff, { handoff: diff.handoff.id, reason })
  }
  return parts.size === 0 ? [diffs, []] : [diffs.filter((diff) => !parts.has(diff)), [...parts.values()]]
}
