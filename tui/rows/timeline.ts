import type { RunEvent } from '../../model/run-log.ts'
import type { Analysis } from '../../replay/analyse.ts'
import { describeEvent } from '../../replay/describe.ts'
import { instantOf } from '../../replay/fold/time.ts'
import { isInDoubt } from '../../replay/history.ts'
import type { Run, Step } from '../../replay/run.ts'
import type { Line, Span } from '../lines.ts'
import { nameShown } from './name-shown.ts'

/** A run made ready to be drawn step by step; drawing one step then costs the same at any length. */
export type Timeline = {
  run: Run
  /** Participants, each with a lane of its own; those past the last lane share it. */
  lanes: string[]
  /** Milliseconds since the first event, by step; NaN where the event has no time. */
  elapsed: number[]
  /** Lane of whoever is responsible for the task, by step; -1 before anybody is. */
  owner: Int16Array
  /** Steps of findings, of handoffs, in order. */
  problems: Step[]
  handoffs: Step[]
  /** Lane of the acting participant, by step; -1 if nobody acts. */
  actor: Int16Array
  /** For each lane, whether one of its writes is in doubt at a step. */
  doubt: Uint8Array[]
  /** What happened, in words; made when it is looked at. */
  what(step: Step): string
}

export const MOST_LANES = 8

export function timelineOf({ run, findings }: Analysis): Timeline {
  const names = participants(run)
  const lanes = names.length > MOST_LANES ? [...names.slice(0, MOST_LANES - 1), 'others'] : names
  const laneOf = (name: string | undefined): number => {
    const at = name === undefined ? -1 : names.indexOf(name)
    return at < 0 ? -1 : Math.min(at, lanes.length - 1)
  }
  const count = run.events.length
  const start = instantOf(run.events[0]?.at) ?? Number.NaN
  const said = new Map<Step, string>()
  return {
    run,
    lanes,
    elapsed: run.events.map((event) => (instantOf(event.at) ?? Number.NaN) - start),
    owner: owners(run, laneOf),
    problems: steps(
      findings.flatMap(({ evidence }) => evidence.map(({ step }) => step)),
      count,
    ),
    handoffs: steps(
      run.handoffs.flatMap(({ sent, receipts }) => [sent?.step, ...receipts.map(({ step }) => step)]),
      count,
    ),
    actor: Int16Array.from(run.events, (event) => laneOf(actorOf(event))),
    doubt: doubts(run, lanes.length, laneOf),
    what: (step) => {
      let text = said.get(step)
      if (text === undefined) {
        // No line is longer than this, and some events hold megabytes.
        text = describeEvent(run.events[step]!).what.slice(0, 2000)
        said.set(step, text)
      }
      return text
    },
  }
}

function actorOf(event: RunEvent): string | undefined {
  if (event.kind === 'handoff.sent') return textOr(event.from, event.agent)
  if (event.kind.startsWith('handoff.')) return textOr(event.by, event.agent)
  return event.agent
}

function textOr(value: unknown, other: string | undefined): string | undefined {
  return typeof value === 'string' ? value : other
}

/** Everybody who acts, owns or is addressed, in the order in which they appear. */
function participants(run: Run): string[] {
  const names = new Set<string>()
  for (const event of run.events) {
    const name = actorOf(event)
    if (name !== undefined) names.add(name)
    if (event.kind === 'handoff.sent' && typeof event.to === 'string') names.add(event.to)
  }
  for (const { owner } of run.custody) names.add(owner)
  return [...names]
}

function steps(found: readonly (Step | undefined)[], count: number): Step[] {
  const inside = found.filter((step): step is Step => step !== undefined && step >= 0 && step < count)
  return [...new Set(inside)].sort((a, b) => a - b)
}

function owners(run: Run, laneOf: (name: string) => number): Int16Array {
  const out = new Int16Array(run.events.length).fill(-1)
  run.custody.forEach(({ step, owner }, index) => {
    out.fill(laneOf(owner), step, run.custody[index + 1]?.step ?? run.events.length)
  })
  return out
}

function doubts(run: Run, lanes: number, laneOf: (name: string | undefined) => number): Uint8Array[] {
  const out = Array.from({ length: lanes }, () => new Uint8Array(run.events.length))
  for (const operation of run.operations.values()) {
    operation.versions.forEach(({ step, value }, index) => {
      if (!isInDoubt(operation, value)) return
      out[laneOf(value.agent ?? operation.agent)]?.fill(
        1,
        step,
        operation.versions[index + 1]?.step ?? run.events.length,
      )
    })
  }
  return out
}

/**
 * The lanes at a step, two cells each: what its participant does, or a hatch while a write of its is in doubt; and the bar of
 * custody, which changes lanes with the task. A handoff is an arrow from lane to lane.
 */
export function laneSpans(timeline: Timeline, step: Step): Span[] {
  const { lanes, owner, doubt, actor, run } = timeline
  const event = run.events[step]!
  const spans: Span[] = lanes.flatMap((_, lane): Span[] => [
    doubt[lane]![step] === 1 ? { text: '▒', tone: 'warning' } : { text: '·', tone: 'frame' },
    owner[step] === lane ? { text: '┃', tone: 'agent' } : { text: ' ' },
  ])
  const at = actor[step]!
  if (at < 0) return spans
  spans[2 * at] = { text: signOf(event), tone: doubt[at]![step] === 1 ? 'warning' : 'strong' }
  if (event.kind === 'handoff.sent') arrow(spans, at, lanes.indexOf(String(event.to)))
  return spans
}

/** `●──▶` from the lane of the sender to that of the receiver. */
function arrow(spans: Span[], from: number, to: number): void {
  if (to < 0 || to === from) return
  const [low, high] = from < to ? [from, to] : [to, from]
  for (let cell = 2 * low + 1; cell < 2 * high; cell++) spans[cell] = { text: '─', tone: 'focus' }
  spans[2 * to] = { text: from < to ? '▶' : '◀', tone: 'focus' }
}

function signOf(event: RunEvent): string {
  if (event.kind === 'operation') return event.effect === 'read' ? '◇' : '◆'
  return event.kind === 'message' || event.kind.startsWith('handoff.') ? '●' : '•'
}

/** `+12.345s`, or minutes and hours where it is long. */
export function elapsedText(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return ''
  const seconds = milliseconds / 1000
  if (Math.abs(seconds) < 100) return `+${seconds.toFixed(3)}s`
  if (Math.abs(seconds) < 6000) return `+${(seconds / 60).toFixed(1)}m`
  return `+${(seconds / 3600).toFixed(1)}h`
}

/** One step as a line. */
export function timelineLine(timeline: Timeline, step: Step, selected: boolean): Line {
  const problem = isIn(timeline.problems, step)
  const digits = String(timeline.run.events.length).length
  const what = timeline.what(step)
  return [
    { text: selected ? '›' : ' ', tone: 'key' },
    { text: problem ? '!' : ' ', tone: 'error' },
    { text: `${String(step + 1).padStart(digits)} `, tone: 'faint' },
    { text: elapsedText(timeline.elapsed[step]!).padStart(8), tone: 'faint' },
    { text: ' ' },
    ...laneSpans(timeline, step),
    { text: ' ' },
    { text: what, tone: selected ? 'strong' : toneOf(timeline.run.events[step]!) },
  ]
}

function toneOf(event: RunEvent): Span['tone'] {
  if (event.kind === 'operation' && event.state === 'unknown') return 'warning'
  if (event.kind.startsWith('handoff.')) return 'focus'
  return undefined
}

function isIn(sorted: readonly Step[], step: Step): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < step) low = middle + 1
    else high = middle
  }
  return sorted[low] === step
}

/** Whose lane is which: numbers over the lanes, and the names beside them. */
export function laneLegend(timeline: Timeline, width: number): Line {
  const { lanes, run } = timeline
  const before = 4 + String(run.events.length).length + 8
  const marks = lanes.map((_, lane) => `${lane + 1} `).join('')
  const room = Math.max(0, width - before - marks.length - 2)
  const names = lanes.map(
    (name, lane) => `${lane + 1} ${nameShown(name, Math.max(4, Math.floor(room / lanes.length) - 4))}`,
  )
  const legend = names.join(' · ')
  return [
    { text: ' '.repeat(before) },
    { text: marks, tone: 'agent' },
    { text: ' ' },
    { text: legend, tone: 'faint' },
  ]
}
