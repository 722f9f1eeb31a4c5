import { type Json, listOf, textOf } from '../../model/json.ts'
import type { Handoff, HandoffOptions } from '../handoff.ts'
import { fieldOf, storable } from '../storable.ts'
import { questionsIn } from './langgraph-approvals.ts'
import { isInnerNode, type Target, type Visit } from './langgraph-names.ts'
import type { CallEntry } from './shared-calls.ts'
import type { RunLog } from './shared-runs.ts'

/** A handoff that was signalled. It is sent when nothing of the same answer is on its way any more. */
type Signal = { from: string; target: Target; call: string | undefined; handoff: Handoff | undefined }

/** What a model is asked. */
export type ModelRequest = { messages: unknown; tools: unknown }

/** One run of a graph from its root on: what each agent had last, and which handoffs are on their way. */
export class GraphSession {
  readonly log: RunLog
  /** Name of the root, for an agent that stands in no node. */
  readonly root: string
  readonly thread: string | undefined
  readonly #items: Map<string, Json[]>
  /** Visits that a handoff led to, with the agent that it was to. */
  readonly #entered = new Map<string, string>()
  #signals: Signal[] = []
  /** Handoffs that were received and have not come back. */
  #out: { from: string; to: string }[] = []
  readonly #open = new Map<CallEntry, string>()
  /** Interrupts that a tool raised: they are known by its call. */
  readonly #asked = new Set<string>()
  #active: string | undefined
  #paused = false

  constructor(log: RunLog, root: string, thread: string | undefined) {
    this.log = log
    this.#items = itemsOf(log)
    this.root = root
    this.thread = thread
  }

  /** The agent that a visit was entered as. */
  enteredAs(visits: readonly Visit[]): string | undefined {
    return visits.map(({ id }) => this.#entered.get(id)).findLast((name) => name !== undefined)
  }

  /** A model is asked. Gives back what is to be told of its answer. */
  request(
    agent: string,
    visits: readonly Visit[],
    { messages, tools }: ModelRequest,
  ): (answer: unknown) => void {
    const items = listOf(storable(messages)) as Json[]
    const payload = { items, tools: listOf(tools) }
    const arrived = this.#arrived(agent, visits)
    const by = arrived[0]?.target.to ?? agent
    const handoffs = [...arrived.map((signal) => this.#sent(signal)), ...this.#returned(by)]
    const received = handoffs.map((handoff) =>
      this.log.handspan.receive(handoff.carrier, { by, ...payload, transport: 'in_process' }),
    )
    if (received.length === 0) this.log.run.modelInput({ agent: by, ...payload })
    this.#items.set(by, items)
    this.#active = by
    return (answer) => {
      const message = storable(answer)
      if (message !== undefined) this.#items.set(by, [...items, message])
      for (const each of received) each.accept()
      const content = fieldOf(answer, 'content')
      if ((typeof content === 'string' && content !== '') || listOf(content).length > 0) {
        this.log.run.message({ agent: by, role: 'assistant', content })
      }
    }
  }

  /** What an agent has: the messages of its last request, the answer, and the results since. */
  add(agent: string, message: unknown): void {
    const item = storable(message)
    if (item === undefined) return
    const call = fieldOf(message, 'tool_call_id')
    // After a resume a call is answered once more.
    const before = (this.#items.get(agent) ?? []).filter(
      (each) => call === undefined || answeredCall(each) !== call,
    )
    this.#items.set(agent, [...before, item])
  }

  /** What a node that asks no model works on. */
  begin(agent: string, messages: unknown): void {
    if (!this.#items.has(agent)) this.#items.set(agent, listOf(storable(messages)) as Json[])
  }

  /**
   * A command leads to another node. To the parent graph it is a handoff. Inside of one graph it is one if a model is
   * asked there: most nodes are no agents.
   */
  signal(from: string, target: Target, call?: string): void {
    if (isInnerNode(target.to) || target.to === from) return
    // What a tool signals, its node and the graph around it signal once more.
    const again = this.#signals.some((each) =>
      call === undefined ? each.from === from && each.target.to === target.to : each.call === call,
    )
    const signal = { from, target, call, handoff: undefined }
    if (!again) this.#signals.push(signal)
    this.#sendSignals(from)
  }

  get isPaused(): boolean {
    return this.#paused
  }

  /** A tool stopped to ask a person. */
  asked(entry: CallEntry, interrupts: readonly unknown[]): void {
    entry.interrupted()
    this.log.calls.wait(entry.call, entry)
    for (const interrupt of interrupts) this.#asked.add(textOf(fieldOf(interrupt, 'id')) ?? '')
  }

  /** The graph stopped to wait for the answers. */
  paused(interrupts: readonly unknown[]): void {
    this.#paused = true
    for (const interrupt of interrupts) {
      if (this.#asked.has(textOf(fieldOf(interrupt, 'id')) ?? '')) continue
      for (const call of questionsIn(interrupt, this.#active)) this.log.calls.wait(call)
    }
  }

  /** A tool runs a graph of its own: the agent in there works for the one that called. */
  delegate(from: string, to: string, call: string | undefined, brief: unknown): Handoff {
    return this.#direct('delegate', { from, to, call, brief })
  }

  /** That tool has ended: its result is the report. */
  report(from: string, to: string, result: unknown): void {
    this.#direct('return', { from, to, call: undefined, brief: result })
  }

  #direct(
    mode: string,
    { from, to, call, brief }: { from: string; to: string; call: string | undefined; brief: unknown },
  ) {
    const handoff = this.#send(mode, { from, to, call, brief, policy: { history: 'brief' } })
    this.#signals.push({ from, target: { to, parent: true, send: false }, call, handoff })
    return handoff
  }

  started(entry: CallEntry, agent: string): void {
    this.#open.set(entry, agent)
  }

  /** A call of this agent has ended: handoffs of the same answer wait for no other any more. */
  ended(entry: CallEntry): void {
    const agent = this.#open.get(entry)
    this.#open.delete(entry)
    if (agent !== undefined) this.#sendSignals(agent)
  }

  #sendSignals(agent: string): void {
    if ([...this.#open.values()].includes(agent)) return
    for (const signal of this.#signals) {
      if (signal.from === agent && signal.target.parent) this.#sent(signal)
    }
  }

  #sent(signal: Signal): Handoff {
    const { from, target, call } = signal
    signal.handoff ??= this.#send('transfer', { from, to: target.to, call })
    return signal.handoff
  }

  #send(
    mode: string,
    fields: { from: string; to: string; call?: string | undefined } & Partial<HandoffOptions>,
  ): Handoff {
    const name = `${fields.from} ${fields.call}`
    const known = fields.call === undefined ? undefined : this.log.delegations.get(name)
    // What is undefined is left out of the events.
    const handoff = this.log.run.handoff({
      ...fields,
      mode,
      items: this.#items.get(fields.from) ?? [],
      // The same call signalled again, after a resume: another attempt at one handoff.
      id: known?.id,
      transport: 'in_process',
      // The framework has no place for a record: nothing but the messages crosses.
      record: false,
    } as HandoffOptions)
    if (fields.call !== undefined) this.log.delegations.set(name, handoff)
    return handoff
  }

  /** The signals that this request answers: of several to one node all, of a fan-out by `Send` one a visit. */
  #arrived(agent: string, visits: readonly Visit[]): Signal[] {
    const names = new Set([agent, ...visits.map(({ name }) => name)])
    const matching = this.#signals.filter(({ target }) => names.has(target.to))
    const arrived = matching[0]?.target.send ? matching.slice(0, 1) : matching
    this.#signals = this.#signals.filter((signal) => !arrived.includes(signal))
    for (const { from, target } of arrived) {
      const visit = visits.find(({ name }) => name === target.to)
      if (visit !== undefined) this.#entered.set(visit.id, target.to)
      const back = this.#out.findIndex((each) => each.from === target.to && each.to === from)
      if (back >= 0) this.#out.splice(back, 1)
      else this.#out.push({ from, to: target.to })
    }
    return arrived
  }

  /** An agent whose model is asked again has control again: what it had handed over has come back, without a signal. */
  #returned(agent: string): Handoff[] {
    const back = this.#out.filter(({ from }) => from === agent)
    this.#out = this.#out.filter(({ from }) => from !== agent)
    return back.map(({ to }) =>
      this.#send('return', {
        from: to,
        to: agent,
        reason: 'inferred: the model of the sender was asked again',
      }),
    )
  }

  /** The graph has ended. What was signalled and never asked a model arrived nowhere. */
  close(error?: unknown): void {
    for (const signal of this.#signals) {
      if (!signal.target.parent) continue
      const handoff = this.#sent(signal)
      if (error !== undefined) handoff.failed('refused-before-effect', error)
    }
    this.#signals = []
    if (error === undefined) return
    for (const entry of this.#open.keys()) entry.unknown(error)
    this.#open.clear()
  }
}

const known = new WeakMap<RunLog, Map<string, Json[]>>()

/** What the agents of a run have, kept over an interrupt: a resumed graph asks no model again for what it knows. */
function itemsOf(log: RunLog): Map<string, Json[]> {
  const items = known.get(log) ?? new Map<string, Json[]>()
  known.set(log, items)
  return items
}

function answeredCall(item: Json): unknown {
  return fieldOf(fieldOf(item, 'kwargs'), 'tool_call_id')
}

/** What the user said last in the input of a graph. */
export function lastHumanMessage(inputs: unknown): unknown {
  const messages = listOf(fieldOf(inputs, 'messages'))
  const last = messages.findLast((message) => roleOf(message) === 'user')
  return Array.isArray(last) ? last[1] : fieldOf(last, 'content')
}

function roleOf(message: unknown): string | undefined {
  const type = fieldOf(message, 'getType')
  const role = Array.isArray(message)
    ? textOf(message[0])
    : typeof type === 'function'
      ? textOf(type.call(message))
      : (textOf(fieldOf(message, 'role')) ?? textOf(fieldOf(message, 'type')))
  return role === 'human' ? 'user' : role
}
