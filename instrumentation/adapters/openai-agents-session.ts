import type { ModelRequest } from '@openai/agents'
import { type Json, listOf, textOf } from '../../model/json.ts'
import type { Handoff } from '../handoff.ts'
import { fieldOf, storable } from '../storable.ts'
import {
  type DeclaredHandoff,
  type HandoffCall,
  handoffCalls,
  inputItems,
  isServerManaged,
  resultItem,
  spokenIn,
  toolsOf,
} from './openai-agents-items.ts'
import type { CallEntry } from './shared-calls.ts'
import type { RunLog } from './shared-runs.ts'

type Transfer = {
  from: string
  to: string
  call: HandoffCall | undefined
  filter?: string | undefined
}

/** A handoff whose receiver's model has not been asked yet. */
type Open = { handoff: Handoff; by: string }

/** One call of `runner.run()`: what its active agent last had before it, and what is on its way. */
export class Session {
  readonly log: RunLog
  /** The active agent. */
  agent: string
  #request: ModelRequest | undefined
  /** The items of the last request, the answer, and the results since: what the agent has. */
  #items: Json[] = []
  #answer: Json[] = []
  #open: Open[] = []
  readonly #calls = new Map<string, CallEntry>()

  constructor(log: RunLog, agent: string) {
    this.log = log
    this.agent = agent
  }

  get items(): readonly Json[] {
    return this.#items
  }

  /** The words of the last answer. */
  get report(): Json | undefined {
    return spokenIn(this.#answer).at(-1)
  }

  /** The next request to the model of this session shows what the receiver of this handoff got. */
  expect(handoff: Handoff, by: string): void {
    this.#open.push({ handoff, by })
  }

  /** A model is asked. Gives back what is to be told of its answer. */
  request(request: ModelRequest): (output: readonly unknown[]) => void {
    const { agent } = this
    const items = inputItems(request.input)
    const payload = { items, instructions: request.systemInstructions, tools: toolsOf(request) }
    const received = this.#open.map(({ handoff, by }) =>
      this.log.handspan.receive(handoff.carrier, { by, ...payload, transport: 'in_process' }),
    )
    this.#open = []
    if (received.length === 0) this.log.run.modelInput({ agent, ...payload })
    this.#request = request
    this.#items = items
    this.#answer = []
    return (output) => {
      this.#answer = listOf(storable(output)) as Json[]
      this.#items = [...items, ...this.#answer]
      for (const each of received) each.accept()
      for (const content of spokenIn(this.#answer)) {
        this.log.run.message({ agent, role: 'assistant', content })
      }
    }
  }

  toolStarted(entry: CallEntry): void {
    this.#calls.set(entry.call.call ?? entry.call.name, entry)
  }

  /** The framework goes on with this text for the model. */
  toolEnded(toolCall: unknown, text: string): void {
    this.#items = [...this.#items, resultItem(toolCall, text)]
    const call = textOf(fieldOf(toolCall, 'callId')) ?? textOf(fieldOf(toolCall, 'name')) ?? ''
    const entry = this.#calls.get(call)
    this.#calls.delete(call)
    if (entry?.isOpen) entry.ended(text)
  }

  /** Control passes. Of several handoffs in one answer the framework carries out the first and deletes the others. */
  handedOff(from: string, to: string, declared: (tool: string) => DeclaredHandoff): void {
    const [first, ...ignored] = handoffCalls(this.#answer, this.#request?.handoffs ?? [])
    const { filter } = first === undefined ? {} : declared(first.tool)
    this.#open.push({ handoff: this.#send({ from, to, call: first, filter }), by: to })
    for (const call of ignored) {
      const handoff = this.#send({ from, ...declared(call.tool), call })
      handoff.failed(
        'refused-before-effect',
        'the framework carries out one handoff a turn and drops the others',
      )
    }
  }

  #send({ from, to, call, filter }: Transfer): Handoff {
    const policy = {
      ...(filter === undefined ? {} : { filter }),
      ...(this.#request !== undefined && isServerManaged(this.#request) ? { history: 'server-managed' } : {}),
    }
    return this.log.run.handoff({
      from,
      to,
      mode: 'transfer',
      items: this.#items,
      ...(call === undefined ? {} : { call: call.call }),
      ...(call?.reason === undefined ? {} : { reason: call.reason }),
      ...(Object.keys(policy).length > 0 ? { policy } : {}),
      transport: 'in_process',
      // The framework has no place for a record: nothing but the items crosses.
      record: false,
    })
  }

  /** The session is over with an error: what is on its way will not be waited for. */
  broken(error: unknown): void {
    for (const { handoff } of this.#open) handoff.failed('refused-before-effect', error)
    this.#open = []
    for (const entry of this.#calls.values()) entry.unknown(error)
    this.#calls.clear()
  }
}
