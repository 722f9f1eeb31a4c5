import { canonicalJson } from '../model/hash.ts'
import { isObject, textOf } from '../model/json.ts'
import { type Acts, byTime, type HandoffAct, type ModelAct, type ToolAct } from './acts.ts'
import { type Call, callsOf } from './calls.ts'
import { lastUntil, modelsBy } from './timelines.ts'

/*
 * Instrumentations leave out which call of the model a span is of. The answer that asked for it tells: the last one of
 * the same agent, by the name of the tool.
 */

/** Gives tools and handoffs the id of the model's call that caused them, where only the answer holds it. */
export function joinCalls(acts: Acts): void {
  const used = new Set<string>()
  const nameOf = (act: ToolAct | HandoffAct, call: string) => `${act.voice}\u0000${call}`
  for (const act of [...acts.tools, ...acts.handoffs]) {
    if (act.call !== undefined) used.add(nameOf(act, act.call))
  }
  const join = <T extends ToolAct | HandoffAct>(
    act: T,
    choose: (free: Call[], act: T) => Call | undefined,
  ) => {
    if (act.call !== undefined) return undefined
    const answer = lastAnswer(acts.models, act)
    const free = callsOf(answer?.answer).filter(({ id }) => id !== undefined && !used.has(nameOf(act, id)))
    const call = choose(free, act)
    if (call === undefined) return undefined
    act.call = call.id!
    used.add(nameOf(act, call.id!))
    return call
  }
  for (const tool of acts.tools) if (!tool.handsOver) join(tool, ofTool)
  askedArguments(acts)
  for (const handoff of acts.handoffs) {
    const call = join(handoff, ofHandoff)
    if (call === undefined) continue
    handoff.tool = call.tool ?? handoff.tool
    const reason = isObject(call.args) ? textOf(call.args.reason) : undefined
    if (reason !== undefined) handoff.reason ??= reason
  }
}

/** Some write the arguments in a form that lost their names (`A-1009`): then they are as the model wrote them. */
function askedArguments(acts: Acts): void {
  const lacking = acts.tools.filter(({ call, args }) => call !== undefined && !isObject(args))
  if (lacking.length === 0) return
  const asked = new Map(
    acts.models.flatMap(({ answer }) => callsOf(answer).map((call) => [call.id, call] as const)),
  )
  for (const tool of lacking) {
    const call = asked.get(tool.call)
    if (call !== undefined && call.tool === tool.name && isObject(call.args)) tool.args = call.args
  }
}

/** The last answer of the agent before the act; of the same instrumentation if there is one. */
export function lastAnswer(
  models: readonly ModelAct[],
  act: Pick<HandoffAct, 'run' | 'start' | 'voice'> & { from?: string; agent?: string },
): ModelAct | undefined {
  const who = act.from ?? act.agent
  const { byRun, byAgent } = modelsBy(models)
  const lists = [
    act.run === undefined ? undefined : byRun.get(act.run),
    who === undefined ? undefined : byAgent.get(who),
  ]
  const latest = (test?: (model: ModelAct) => boolean) =>
    lists
      .map((list) => lastUntil(list, act.start, test))
      .reduce((a, b) => (a === undefined || (b !== undefined && byTime(a, b) < 0) ? b : a))
  const last = latest()
  return last === undefined || last.voice === act.voice
    ? last
    : (latest(({ voice }) => voice === act.voice) ?? last)
}

function ofTool(free: readonly Call[], { name, args }: ToolAct): Call | undefined {
  const named = free.filter((call) => call.tool === name)
  return named.find((call) => canonicalJson(call.args) === canonicalJson(args)) ?? named[0]
}

/** By the name of its tool: that of the span, the one that frameworks derive from the target, one that ends so, the only one. */
function ofHandoff(free: readonly Call[], { to, tool, evidence }: HandoffAct): Call | undefined {
  const same = free.find((call) => call.tool === tool)
  if (same !== undefined || evidence === 'nesting') return same
  const target = bare(to ?? '')
  return (
    (target === '' ? undefined : free.find((call) => bare(call.tool ?? '') === `transferto${target}`)) ??
    (target === '' ? undefined : free.find((call) => bare(call.tool ?? '').endsWith(target))) ??
    (free.length === 1 ? free[0] : undefined)
  )
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}
