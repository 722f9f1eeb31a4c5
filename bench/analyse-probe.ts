import type { RunEvent } from '../model/run-log.ts'
import { estimateByBytes } from '../model/tokens.ts'
import { checks } from '../replay/catalogue/index.ts'
import { diffHandoff } from '../replay/diff/diff.ts'
import { foldRun } from '../replay/fold/fold.ts'
import { beginAnalysis } from '../replay/remembered.ts'
import { median } from './figures.ts'
import { generateRun, type RunShape } from './generate.ts'

/** `payload`: characters of one text that the last handoff carries besides. */
export type AnalyseInput = { shape: RunShape; rounds: number; payload?: number }

/**
 * Milliseconds: medians, and of the whole the first time (a fresh process) and the fastest. `parse` is JSON.parse of the
 * same bytes, `write` JSON.stringify of the same values. `checks` are the slowest first.
 */
export type Phases = {
  bytes: number
  handoffs: number
  parse: number
  write: number
  first: number
  fastest: number
  fold: number
  diff: number
  check: number
  whole: number
  findings: number
  checks: { id: string; ms: number }[]
}

/** Folds, diffs and checks one run, again and again, each time from freshly parsed events. */
export function analysePhases({ shape, rounds, payload }: AnalyseInput): Phases {
  const events = generateRun(shape)
  if (payload !== undefined) enlarge(events, payload)
  const text = JSON.stringify(events)
  const all = Array.from({ length: rounds }, () => once(text))
  const of = (phase: 'parse' | 'write' | 'fold' | 'diff' | 'check' | 'whole') =>
    median(all.map((one) => one[phase]))
  return {
    bytes: Buffer.byteLength(text),
    handoffs: all[0]!.handoffs,
    findings: all[0]!.findings,
    parse: of('parse'),
    write: of('write'),
    first: all[0]!.whole,
    fastest: Math.min(...all.map(({ whole }) => whole)),
    fold: of('fold'),
    diff: of('diff'),
    check: of('check'),
    whole: of('whole'),
    checks: checks
      .map(({ id }, index) => ({ id, ms: median(all.map((one) => one.checks[index]!)) }))
      .sort((a, b) => b.ms - a.ms),
  }
}

function once(text: string) {
  const began = performance.now()
  const events = JSON.parse(text) as RunEvent[]
  const started = performance.now()
  beginAnalysis()
  const run = foldRun(events)
  const folded = performance.now()
  const diffs = run.handoffs.map((handoff) => diffHandoff(run, handoff, estimateByBytes))
  const diffed = performance.now()
  let findings = 0
  const times = checks.map(({ check }) => {
    const before = performance.now()
    findings += check({ run, diffs, related: [] }).findings.length
    return performance.now() - before
  })
  const ended = performance.now()
  JSON.stringify(events)
  const written = performance.now()
  return {
    parse: started - began,
    write: written - ended,
    fold: folded - started,
    diff: diffed - folded,
    check: ended - diffed,
    whole: ended - started,
    handoffs: run.handoffs.length,
    findings,
    checks: times,
  }
}

/** Puts one long tool result among the items of the last handoff, on both sides. */
function enlarge(events: RunEvent[], characters: number): void {
  const row = '{"sku":"A-7","count":40,"place":"second warehouse, row 12"},'
  const output = `[${row.repeat(Math.ceil(characters / row.length)).slice(0, -1)}]`
  const item = { type: 'function_call_output', call_id: 'call_large', output }
  for (const kind of ['handoff.sent', 'handoff.received']) {
    const event = events.findLast((one) => one.kind === kind) as RunEvent & Record<string, unknown[]>
    const field = kind === 'handoff.sent' ? 'items_before' : 'items'
    // Both sides may share one list.
    event[field] = [...event[field]!, item]
  }
}
