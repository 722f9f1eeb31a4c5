import { canonicalJson } from '../model/hash.ts'
import {
  type Acts,
  type AgentAct,
  byTime,
  type HandoffAct,
  type ModelAct,
  overlap,
  type ToolAct,
} from './acts.ts'
import { callsOf } from './calls.ts'
import { EVIDENCE } from './reading.ts'

/*
 * One run that several instrumentations observed: each tells the same calls in its own spans. Two acts are one if they
 * come from different instrumentations and agree in the ids that the provider gave, or where there are none in what they
 * say and when. Never by span ids.
 */

/** Makes one account of several: of acts told twice the one of the more trusted dialect stays, and takes what it lacks. */
export function mergeAccounts(acts: Acts): Acts {
  if (
    new Set([...acts.agents, ...acts.models, ...acts.tools, ...acts.handoffs].map(({ voice }) => voice))
      .size < 2
  )
    return acts
  const agents = unite(acts.agents, sameAgent, (kept, other) => {
    kept.tools ??= other.tools!
  })
  const run = (act: AgentAct | undefined) => (act === undefined ? undefined : agents.standsFor(act))
  for (const each of acts.agents) each.caller = run(each.caller)
  for (const each of [...acts.models, ...acts.tools, ...acts.handoffs]) each.run = run(each.run)
  for (const each of acts.handoffs) each.inside = run(each.inside)
  return {
    agents: agents.kept,
    models: unite(acts.models, sameModel, fill).kept,
    tools: unite(acts.tools, sameTool, (kept, other) => {
      fill(kept, other)
      kept.handsOver ||= other.handsOver
    }).kept,
    handoffs: unite(acts.handoffs, sameHandoff, (kept, other) => {
      if (EVIDENCE.indexOf(other.evidence) < EVIDENCE.indexOf(kept.evidence)) kept.evidence = other.evidence
      fill(kept, other)
    }).kept,
  }
}

type Act = AgentAct | ModelAct | ToolAct | HandoffAct

type United<T> = { kept: T[]; standsFor: (act: T) => T }

function unite<T extends Act>(
  list: readonly T[],
  same: (a: T, b: T) => boolean,
  join: (kept: T, other: T) => void,
): United<T> {
  const kept: T[] = []
  const stands = new Map<T, T>()
  const voices = new Map<T, Set<string>>()
  // In the order of trust, so that what is kept does not hang on the clock.
  for (const act of [...list].sort((a, b) => a.rank - b.rank || byTime(a, b))) {
    const known = kept.find((one) => !voices.get(one)!.has(act.voice) && same(one, act))
    if (known === undefined) {
      kept.push(act)
      voices.set(act, new Set([act.voice]))
      stands.set(act, act)
      continue
    }
    voices.get(known)!.add(act.voice)
    stands.set(act, known)
    join(known, act)
  }
  return { kept: kept.sort(byTime), standsFor: (act) => stands.get(act) ?? act }
}

function fill<T extends Act>(kept: T, other: T): void {
  for (const [name, value] of Object.entries(other)) {
    if (kept[name as keyof T] === undefined && value !== undefined)
      kept[name as keyof T] = value as T[keyof T]
  }
}

function sameAgent(a: AgentAct, b: AgentAct): boolean {
  return a.name === b.name && overlap(a, b)
}

function sameModel(a: ModelAct, b: ModelAct): boolean {
  if (a.response !== undefined && b.response !== undefined) return a.response === b.response
  if (!overlap(a, b)) return false
  const [calls, others] = [callsOf(a.answer), callsOf(b.answer)].map((list) =>
    list.map(({ id, tool }) => id ?? tool ?? '').sort(),
  )
  if (calls!.length > 0 || others!.length > 0) return calls!.join() === others!.join()
  return a.items === undefined ||
    b.items === undefined ||
    canonicalJson(a.items.at(-1)) === canonicalJson(b.items.at(-1))
    ? a.agent === b.agent || a.agent === undefined || b.agent === undefined
    : a.items.length === b.items.length && a.agent === b.agent
}

function sameTool(a: ToolAct, b: ToolAct): boolean {
  if (a.call !== undefined && b.call !== undefined)
    return a.call === b.call && (a.name === b.name || overlap(a, b))
  return a.name === b.name && overlap(a, b)
}

function sameHandoff(a: HandoffAct, b: HandoffAct): boolean {
  if (a.mode === 'return' || b.mode === 'return')
    return a.mode === b.mode && a.from === b.from && overlap(a, b)
  if (a.call !== undefined && b.call !== undefined) return a.call === b.call
  const ends = (x: string | undefined, y: string | undefined) => x === undefined || y === undefined || x === y
  return ends(a.from, b.from) && ends(a.to, b.to) && isNear(a, b)
}

/** Each instrumentation sees a handoff at its own hook; between the two lie microseconds, seldom a second. */
const NEAR_NANOS = 1_000_000_000n

function isNear(a: HandoffAct, b: HandoffAct): boolean {
  const apart = a.start < b.start ? b.start - a.start : a.start - b.start
  return overlap(a, b) || apart < NEAR_NANOS
}
