import type { Acts, HandoffAct, ModelAct, ToolAct } from './acts.ts'
import { callsOf, resultsIn } from './calls.ts'
import { groupBy } from './group-by.ts'
import { lastAnswer } from './join-calls.ts'
import type { Notes } from './notes.ts'
import { later } from './time.ts'
import { ORDER, type Timeline } from './timeline.ts'

/** Tells every call of a tool as an operation; one by which a handoff was made is told as the handoff. */
export function writeCalls(line: Timeline, acts: Acts, notes: Notes): void {
  const named = new Set<string>()
  for (const tool of acts.tools) {
    if (tool.handsOver) continue
    // The model's call id names the operation where it is its own; a call that ran twice has a second span.
    const own = tool.call !== undefined && !named.has(tool.call)
    if (own) named.add(tool.call!)
    writeTool(line, tool, own ? tool.call! : tool.node.span.spanId)
  }
  writeUnseenCalls(line, acts, notes)
}

function writeTool(line: Timeline, tool: ToolAct, op: string): void {
  const { node, agent, name, call, args, effect, result, error, start, end } = tool
  line.add(start, ORDER.begun, 'operation', node, {
    agent,
    op,
    tool: name,
    call,
    args,
    effect,
    state: 'sent',
  })
  // A span without an end is of a call nobody heard of again.
  if (end === undefined) return
  const state = error === undefined ? 'settled' : tool.inDoubt === true ? 'unknown' : 'failed'
  line.add(later(start, end), ORDER.ended, 'operation', node, {
    agent,
    op,
    tool: name,
    call,
    state,
    result,
    error,
  })
}

/** Calls that a model asked for and that no span is of: lost, refused, or never carried out. A result in a later request settles them. */
function writeUnseenCalls(line: Timeline, acts: Acts, notes: Notes): void {
  const seen = new Set([...acts.tools, ...acts.handoffs].flatMap(({ call }) => call ?? []))
  const lastUnnamed = new Map<string, bigint>()
  for (const { call, name, start } of acts.tools) if (call === undefined) lastUnnamed.set(name, start)
  const unseen = acts.models.flatMap((model) =>
    callsOf(model.answer).flatMap(({ id, tool, args }) => {
      const mayBeSeen = tool !== undefined && (lastUnnamed.get(tool) ?? -1n) >= model.start
      return id === undefined || seen.has(id) || mayBeSeen ? [] : [{ model, id, tool, args }]
    }),
  )
  if (unseen.length === 0) return
  const results = groupBy(
    acts.models.flatMap((model) =>
      [...resultsIn(model.items)].map(([call, text]) => ({ model, call, text })),
    ),
    ({ call }) => call,
  )
  for (const { model, id, tool, args } of unseen) {
    if (seen.has(id)) continue
    seen.add(id)
    const { agent, node } = model
    const fields = { agent, op: id, tool, call: id }
    line.add(model.end ?? model.start, ORDER.begun, 'operation', node, { ...fields, args, state: 'proposed' })
    notes.add(
      'a call that the model asked for has no span: it is known from the requests to the model only',
      node.span,
    )
    const answered = results.get(id)?.find((result) => result.model.start >= model.start)
    if (answered === undefined) continue
    line.add(answered.model.start, ORDER.ended, 'operation', answered.model.node, {
      ...fields,
      state: 'settled',
      result: answered.text,
    })
  }
}

/**
 * What the sender had: its last request, the answer, and the results since. Undefined if that is not known: the answer that
 * handed over is not here, or the one before a return still asked for calls, so that a later request must be missing.
 */
export function itemsBefore(acts: Acts, handoff: HandoffAct): unknown[] | undefined {
  const answer = lastAnswer(acts.models, handoff)
  if (answer?.items === undefined) return undefined
  const calls = callsOf(answer.answer).flatMap(({ id }) => id ?? [])
  if (isOutdated(handoff, answer, calls)) return undefined
  const byCall = calls.length === 0 ? undefined : toolsByCall(acts.tools)
  const results = calls.flatMap((call) =>
    (byCall?.get(call) ?? []).flatMap(({ result, end, handsOver }) =>
      !handsOver && result !== undefined && end !== undefined && end <= handoff.start
        ? [{ type: 'tool_result', call, content: result }]
        : [],
    ),
  )
  return [...answer.items, ...(answer.answer ?? []), ...results]
}

function isOutdated({ mode, call }: HandoffAct, answer: ModelAct, calls: readonly string[]): boolean {
  if (mode === 'return') return calls.length > 0
  return call !== undefined && answer.answer !== undefined && !calls.includes(call)
}

const indexes = new WeakMap<readonly ToolAct[], Map<string | undefined, ToolAct[]>>()

function toolsByCall(tools: readonly ToolAct[]): Map<string | undefined, ToolAct[]> {
  const index = indexes.get(tools) ?? groupBy(tools, ({ call }) => call)
  indexes.set(tools, index)
  return index
}
