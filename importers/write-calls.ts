import type { Acts, HandoffAct, ToolAct } from './acts.ts'
import { callsOf, resultsIn } from './calls.ts'
import { lastAnswer } from './join-calls.ts'
import type { Notes } from './notes.ts'
import { later } from './time.ts'
import { ORDER, type Timeline } from './timeline.ts'

/** Tells every call of a tool as an operation; one by which a handoff was made is told as the handoff. */
export function writeCalls(line: Timeline, acts: Acts, notes: Notes): void {
  for (const tool of acts.tools) if (!tool.handsOver) writeTool(line, tool, opOf(tool, acts.tools))
  writeUnseenCalls(line, acts, notes)
}

/** The model's call id names the operation where it is its own; a call that ran twice has a second span. */
function opOf(tool: ToolAct, all: readonly ToolAct[]): string {
  const first =
    tool.call === undefined ? undefined : all.find(({ call, handsOver }) => call === tool.call && !handsOver)
  return first === tool ? tool.call! : tool.node.span.spanId
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
  const unnamed = acts.tools.filter(({ call }) => call === undefined)
  const asked = acts.models.flatMap((model) => callsOf(model.answer).map((call) => ({ model, call })))
  const results = acts.models.flatMap((model) =>
    [...resultsIn(model.items)].map(([call, text]) => ({ model, call, text })),
  )
  for (const { model, call } of asked) {
    const { id, tool, args } = call
    if (id === undefined || seen.has(id)) continue
    if (unnamed.some(({ name, start }) => name === tool && start >= model.start)) continue
    seen.add(id)
    const { agent, node } = model
    const fields = { agent, op: id, tool, call: id }
    line.add(model.end ?? model.start, ORDER.begun, 'operation', node, { ...fields, args, state: 'proposed' })
    notes.add(
      'a call that the model asked for has no span: it is known from the requests to the model only',
      node.span,
    )
    const answered = results.find((result) => result.call === id && result.model.start >= model.start)
    if (answered === undefined) continue
    line.add(answered.model.start, ORDER.ended, 'operation', answered.model.node, {
      ...fields,
      state: 'settled',
      result: answered.text,
    })
  }
}

/** What the sender had: its last request, the answer, and the results since. */
export function itemsBefore(acts: Acts, handoff: HandoffAct): unknown[] | undefined {
  const answer = lastAnswer(acts.models, handoff)
  if (answer?.items === undefined) return undefined
  const calls = new Set(callsOf(answer.answer).flatMap(({ id }) => id ?? []))
  const results = acts.tools.flatMap(({ call, result, end, handsOver }) =>
    call !== undefined && calls.has(call) && !handsOver && result !== undefined && end! <= handoff.start
      ? [{ type: 'tool_result', call, content: result }]
      : [],
  )
  return [...answer.items, ...(answer.answer ?? []), ...results]
}
