import { readItems } from '../model/items.ts'
import type { Acts, ModelAct } from './acts.ts'
import { callsOf } from './calls.ts'
import type { Notes } from './notes.ts'
import type { Receipt } from './receipts.ts'
import type { SpanNode } from './span-tree.ts'
import { earlier, later } from './time.ts'
import { ORDER, type Timeline } from './timeline.ts'

/**
 * When each model had answered. Some spans of requests go on until everything that the answer caused is over, and some
 * clocks are exact to the nanosecond at one end and to the millisecond at the other: so no later than its first effect.
 */
export function answerTimes(acts: Acts): Map<ModelAct, bigint> {
  const effects = new Map<string, bigint>()
  const parents = new Map<SpanNode, bigint>()
  const note = <K>(map: Map<K, bigint>, key: K | undefined, time: bigint) => {
    if (key !== undefined) map.set(key, earlier(map.get(key) ?? time, time))
  }
  for (const { call, start } of [...acts.tools, ...acts.handoffs]) note(effects, call, start)
  for (const { node, start } of [...acts.tools, ...acts.handoffs, ...acts.agents]) {
    note(parents, node.parent, start)
  }
  return new Map(
    acts.models.map((model) => {
      const caused = callsOf(model.answer).flatMap(({ id }) =>
        id === undefined ? [] : (effects.get(id) ?? []),
      )
      const inside = parents.get(model.node)
      const first = [...caused, ...(inside === undefined ? [] : [inside])].filter(
        (time) => time > model.start,
      )
      return [model, later(model.start, first.reduce(earlier, model.end ?? model.start))]
    }),
  )
}

/** A request to a model: the receipt of a handoff, or one more; then what it said. */
export function writeModel(
  line: Timeline,
  model: ModelAct,
  answered: bigint,
  receipts: readonly Receipt[],
  notes: Notes,
): void {
  const { node, agent, items, instructions, tools, start } = model
  const payload = { items, instructions, tools, model: model.model, response: model.response }
  if (items === undefined) notes.add('the content of a request to a model was not captured', node.span)
  if (receipts.length === 0) {
    line.add(start, ORDER.begun, 'model.input', node, { agent, ...payload })
  }
  for (const { handoff } of receipts) {
    // Two traces of one run: that the ids differ says nothing of the run.
    const same = handoff.node.span.traceId === node.span.traceId || handoff.sides !== undefined
    line.add(start, ORDER.received, 'handoff.received', same ? node : undefined, {
      handoff: handoff.id,
      attempt: handoff.attempt === 1 ? undefined : handoff.attempt,
      by: handoff.to,
      ...payload,
      evidence: handoff.evidence,
    })
  }
  for (const { handoff } of model.error === undefined && model.end !== undefined ? receipts : []) {
    line.add(answered, ORDER.ended, 'handoff.accepted', undefined, {
      handoff: handoff.id,
      attempt: handoff.attempt === 1 ? undefined : handoff.attempt,
      by: handoff.to,
      evidence: handoff.evidence,
    })
  }
  for (const { type, text, role } of model.answer === undefined ? [] : readItems(model.answer)) {
    if (type !== 'message' || text === '' || role === 'user') continue
    line.add(answered, ORDER.ended, 'message', node, { agent, role: 'assistant', content: text })
  }
}
