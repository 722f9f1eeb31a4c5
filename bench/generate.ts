import type { RunEvent } from '../model/run-log.ts'
import { random } from './random.ts'

/*
 * Runs as an agent runtime writes them: four agents in turn, each with reads, writes under keys, approvals, model
 * requests, and then a handoff whose record is built from the operations log. Seeded: the same numbers give the same
 * bytes.
 */

/** How a run looks. `items`: how many of the latest items a handoff carries. */
export type RunShape = {
  run: string
  events: number
  seed: number
  eventsPerHandoff?: number
  items?: number
}

const AGENTS = ['coordinator', 'orders', 'billing', 'shipping']
const READS = ['find_order', 'read_stock', 'list_invoices', 'track_parcel']
const WRITES = ['reserve_stock', 'send_invoice', 'book_pickup', 'issue_refund']
const WORDS =
  `the order of this customer waits for stock in the second warehouse and the carrier takes parcels only
  before noon so billing goes first unless a person has said otherwise please keep both addresses`.split(
    /\s+/,
  )
const START = Date.parse('2031-03-04T09:00:00Z')

type Item = Record<string, unknown>
type Effect = { op: string; tool: string; key: string; result: unknown }

/** One run of exactly that many events, from run.start to run.end. */
export function generateRun(shape: RunShape): RunEvent[] {
  return new Story(shape).tell()
}

class Story {
  readonly #shape: Required<RunShape>
  readonly #next: () => number
  readonly #events: RunEvent[] = []
  #items: Item[] = []
  #completed: Effect[] = []
  #open: { op: string; tool: string; key: string; args: unknown; state: string }[] = []
  #count = 0
  #clock = START
  #agent = AGENTS[0]!

  constructor(shape: RunShape) {
    this.#shape = { eventsPerHandoff: 50, items: 20, ...shape }
    this.#next = random(shape.seed)
    this.#clock += shape.seed * 1000
  }

  tell(): RunEvent[] {
    const { events, eventsPerHandoff } = this.#shape
    this.#start()
    let sinceHandoff = this.#events.length
    while (this.#events.length < events - 1) {
      const left = events - 1 - this.#events.length
      if (left > 3 && sinceHandoff >= eventsPerHandoff - 3) {
        this.#handOver()
        sinceHandoff = 0
        continue
      }
      const before = this.#events.length
      this.#act(Math.min(left, Math.max(1, eventsPerHandoff - 3 - sinceHandoff)))
      sinceHandoff += this.#events.length - before
    }
    this.#write('run.end', { outcome: 'done' })
    return this.#events
  }

  #start(): void {
    this.#write('run.start', {
      principal: { kind: 'human', id: `u-${this.#shape.seed}` },
      agents: AGENTS.map((name) => ({ name, tools: [...READS, ...WRITES] })),
      service: 'shop',
    })
    if (this.#shape.events < 20) return
    for (const [id, text, check] of RULES) this.#write('constraint', { id, text, check, by: 'user' })
    this.#say('user', `Please see to order ${this.#shape.seed}: ${this.#words(30)}.`)
  }

  /** One act of the agent whose turn it is, in at most that many events. */
  #act(room: number): void {
    const dice = this.#next()
    if (room >= 5 && dice < 0.06) this.#approvedWrite()
    else if (room >= 3 && dice < 0.2) this.#plainWrite()
    else if (room >= 2 && dice < 0.7) this.#read()
    else if (dice < 0.76) this.#write('model.input', { agent: this.#agent, items: this.#latest() })
    else this.#say(dice < 0.8 ? 'user' : 'assistant', `${this.#words(25)}.`)
  }

  #read(): void {
    const tool = this.#pick(READS)
    const { op, call } = this.#call(tool, { order: this.#number(), fields: ['state', 'lines', 'address'] })
    const result = { order: this.#number(), state: 'open', note: this.#words(20) }
    this.#write('operation', { ...op, effect: 'read', state: 'settled', result, by: 'reply' })
    this.#items.push({ type: 'function_call_output', call_id: call, output: JSON.stringify(result) })
  }

  #plainWrite(): void {
    const { op, key, call, args } = this.#dispatch(undefined)
    if (this.#next() < 0.03) {
      this.#write('operation', { ...op, state: 'unknown', error: 'no answer within 8 s' })
      this.#items.push({ type: 'function_call_output', call_id: call, output: 'no answer within 8 s' })
      this.#open.push({ op: op.op, tool: op.tool, key, args, state: 'unknown' })
    } else this.#settle(op, key, call)
  }

  #approvedWrite(): void {
    const id = `ap-${++this.#count}`
    const scope = { order: this.#number(), amount: 40 }
    const asked = { id, action: 'issue_refund', scope, agent: this.#agent }
    this.#write('approval', { ...asked, state: 'pending' })
    this.#write('approval', { ...asked, state: 'approved', by: 'op-lena' })
    const { op, key, call } = this.#dispatch({ approval: id, tool: 'issue_refund', args: scope })
    this.#settle(op, key, call)
    this.#write('approval', { ...asked, state: 'consumed', for: op.op })
  }

  #dispatch(approved: { approval: string; tool: string; args: Item } | undefined) {
    const tool = approved?.tool ?? this.#pick(WRITES.slice(0, 3))
    const key = `order-${this.#shape.seed}:${tool}:${++this.#count}`
    const args = approved?.args ?? { order: this.#number(), sku: `A-${this.#count}`, note: this.#words(12) }
    const more = { key, effect: 'write', ...(approved && { approval: approved.approval }) }
    const { op, call } = this.#call(tool, args, more)
    return { op, key, call, args }
  }

  #settle(op: { op: string; tool: string }, key: string, call: string): void {
    const result = { reference: `${op.tool}-${this.#number()}`, state: 'done' }
    this.#write('operation', { ...op, state: 'settled', result, by: 'reply' })
    this.#items.push({ type: 'function_call_output', call_id: call, output: JSON.stringify(result) })
    this.#completed.push({ op: op.op, tool: op.tool, key, result })
    // As much as the instrumentation remembers.
    if (this.#completed.length > 1000) this.#completed.shift()
  }

  #call(tool: string, args: Item, more: Item = { effect: 'read' }) {
    const call = `call_${++this.#count}`
    const op = { op: `op-${this.#count}`, tool, agent: this.#agent, args, call, ...more }
    this.#items.push({ type: 'function_call', call_id: call, name: tool, arguments: JSON.stringify(args) })
    this.#write('operation', { ...op, state: 'sent' })
    return { op, call }
  }

  #say(role: 'user' | 'assistant', content: string): void {
    const id = `m-${++this.#count}`
    this.#items.push({ id, type: 'message', role, content })
    this.#write('message', { id, agent: this.#agent, role, content })
  }

  /** Three events: sent, received, accepted. Every second filter keeps the messages only. */
  #handOver(): void {
    const to = this.#pick(AGENTS.filter((agent) => agent !== this.#agent))
    const handoff = `h-${++this.#count}`
    const messagesOnly = this.#next() < 0.5
    const before = this.#latest()
    const items = messagesOnly ? before.filter((item) => item.type === 'message') : before
    const record = this.#record(to)
    this.#write('handoff.sent', {
      handoff,
      mode: 'transfer',
      from: this.#agent,
      to,
      agent: this.#agent,
      reason: this.#words(6),
      policy: { filter: messagesOnly ? 'messages only' : 'none' },
      items_before: before,
      record,
    })
    this.#agent = to
    this.#write('handoff.received', {
      handoff,
      by: to,
      agent: to,
      items,
      record,
      instructions: this.#words(60),
      tools: [...READS, ...WRITES],
    })
    this.#write('handoff.accepted', { handoff, by: to, agent: to })
  }

  #record(to: string) {
    return {
      constraints: RULES.map(([id, text, check]) => ({ id, text, check })),
      open_operations: [...this.#open],
      completed_effects: [...this.#completed],
      pending_actions: [],
      commitments: [],
      correlation_id: this.#shape.run,
      origin: { kind: 'human', id: `u-${this.#shape.seed}` },
      intent: 'see to the order',
      next_action: `${to} goes on`,
      stop_condition: 'the invoice is sent',
    }
  }

  #latest(): Item[] {
    this.#items = this.#items.slice(-this.#shape.items)
    return [...this.#items]
  }

  #write(kind: string, fields: Item): void {
    const { run } = this.#shape
    this.#clock += 200 + Math.floor(this.#next() * 2000)
    const at = `${new Date(this.#clock).toISOString().slice(0, -1)}000000Z`
    this.#events.push({ v: 1, run, seq: this.#events.length + 1, at, writer: `shop-${run}`, kind, ...fields })
  }

  #words(count: number): string {
    return Array.from({ length: count }, () => this.#pick(WORDS)).join(' ')
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#next() * list.length)]!
  }

  #number(): number {
    return 1000 + Math.floor(this.#next() * 9000)
  }
}

const RULES = [
  ['c-1', 'Reserve the stock before the invoice is sent.', { order: ['reserve_stock', 'send_invoice'] }],
  ['c-2', 'No refund over 500.', { limit: { tool: 'issue_refund', arg: 'amount', max: 500 } }],
  ['c-3', 'Parcels leave from the second warehouse only.', undefined],
] as const
