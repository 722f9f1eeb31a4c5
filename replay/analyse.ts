import type { RunEvent } from '../model/run-log.ts'
import { estimateByBytes, type TokenCounter } from '../model/tokens.ts'
import { checks } from './catalogue/index.ts'
import type { CheckInput } from './check.ts'
import { diffHandoff } from './diff/diff.ts'
import type { HandoffDiff } from './diff/handoff-diff.ts'
import { completeFinding, type Finding, type NotJudged } from './finding.ts'
import { foldRun } from './fold.ts'
import type { Run } from './run.ts'

/** A run, its handoffs diffed, and what the checks say of it. */
export type Analysis = { run: Run; diffs: HandoffDiff[]; findings: Finding[]; notJudged: NotJudged[] }

/**
 * Folds, diffs and checks one run. `events` are its run log in any order; `related` holds the logs of runs that are
 * judged together with it. Calls nothing and keeps nothing: the same events give the same analysis.
 */
export function analyse(
  events: readonly RunEvent[],
  options: { related?: readonly (readonly RunEvent[])[]; tokens?: TokenCounter } = {},
): Analysis {
  const tokens = options.tokens ?? estimateByBytes
  const judged = diffRun(events, tokens)
  return checkRun({ ...judged, related: (options.related ?? []).map((log) => diffRun(log, tokens)) })
}

/** Judges several logs together: one analysis a run, in the order in which the runs first appear. */
export function analyseTogether(
  events: readonly RunEvent[],
  options: { tokens?: TokenCounter } = {},
): Analysis[] {
  const tokens = options.tokens ?? estimateByBytes
  const logs = new Map<string, RunEvent[]>()
  for (const event of events) {
    const log = logs.get(event.run)
    if (log === undefined) logs.set(event.run, [event])
    else log.push(event)
  }
  const judged = [...logs.values()].map((log) => diffRun(log, tokens))
  return judged.map((one) =>
    checkRun({ ...one, related: judged.filter((other) => isRelated(one.run, other.run)) }),
  )
}

/** Two runs are related when one repeats the other, or both repeat the same. */
function isRelated(a: Run, b: Run): boolean {
  if (a === b) return false
  return a.replayOf === b.id || b.replayOf === a.id || (a.replayOf !== undefined && a.replayOf === b.replayOf)
}

function diffRun(events: readonly RunEvent[], tokens: TokenCounter): { run: Run; diffs: HandoffDiff[] } {
  const run = foldRun(events)
  return { run, diffs: run.handoffs.map((handoff) => diffHandoff(run, handoff, tokens)) }
}

function checkRun(input: CheckInput): Analysis {
  const findings: Finding[] = []
  const notJudged: NotJudged[] = []
  for (const check of checks) {
    const result = check.check(input)
    for (const draft of result.findings) findings.push(completeFinding(check, input.run.id, draft))
    for (const gap of result.notJudged ?? []) notJudged.push({ check: check.id, run: input.run.id, ...gap })
  }
  return { run: input.run, diffs: input.diffs, findings, notJudged }
}
