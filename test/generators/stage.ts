import type { RunEvent } from '../../model/run-log.ts'
import { FORMS, type Item, type ItemForm, inForm } from './item-forms.ts'
import { Random } from './random.ts'

export type Fields = Record<string, unknown>

/** A call with what is known of it. */
export type Call = {
  op: string
  call: string
  tool: string
  args: Fields
  key?: string
  result?: string
  write: boolean
  agent: string
}

export type Rule = { id: string; text: string; check?: unknown }
export type Promised = { id: string; text: string; agent: string }

/** How a runtime writes its logs; drawn once a run. */
export type Style = {
  /** A record crosses with every handoff; else only the history, and nothing may be open. */
  record: boolean
  form: ItemForm
  /** Items have ids, and say to which operation they belong. */
  ids: boolean
  /** One process an agent, with clocks that differ. */
  processes: boolean
  /** Fields that no schema knows. */
  extras: boolean
  traced: boolean
}

const AGENTS = ['orders', 'billing', 'Ana', 'support-bot', 'planner', 'günther', '調達', 'research_agent']
export const READS = ['check_stock', 'get_invoice', 'search_docs', 'lookupCustomer', 'list_files', 'price']
export const WRITES = [
  'reserve_stock',
  'send_invoice',
  'create_ticket',
  'updateRecord',
  'refund',
  'book_slot',
]

const SKEW_MS = 90_000

/** What a sound runtime keeps while a run goes on, and the log that it writes. */
export class Stage {
  readonly random: Random
  readonly run: string
  readonly style: Style
  readonly agents: string[]
  readonly principal: Fields
  owner: string
  history: Item[] = []
  open: Call[] = []
  done: Call[] = []
  rules: Rule[] = []
  promises: Promised[] = []
  /** True once a person spoke, or something new came out, since control last passed. */
  moved = true
  readonly #events: RunEvent[] = []
  readonly #numbers = new Map<string, number>()
  readonly #skews = new Map<string, number>()
  #time = Date.parse('2031-05-06T08:00:00Z')
  #count = 0

  constructor(seed: number, style?: Partial<Style>) {
    this.random = new Random(seed)
    const { random } = this
    this.run = `clean-${seed}`
    this.style = {
      record: random.chance(0.7),
      form: random.pick(FORMS),
      ids: random.chance(0.7),
      processes: random.chance(0.3),
      extras: random.chance(0.2),
      traced: random.chance(0.5),
      ...style,
    }
    const from = random.between(0, AGENTS.length - 1)
    this.agents = Array.from(
      { length: random.between(3, 5) },
      (_, index) => AGENTS[(from + index) % AGENTS.length]!,
    )
    this.owner = this.agents[0]!
    this.principal = { id: `u-${random.between(1, 99)}`, kind: 'human' }
  }

  begin(fields: Fields = {}): void {
    this.write('run.start', {
      principal: this.principal,
      agents: this.agents.map((name) => ({ name, tools: [...READS, ...WRITES] })),
      ...fields,
    })
  }

  /** The log, its lines in the order of writing or in any other: they are told apart by time and number. */
  log(): RunEvent[] {
    const events = [...this.#events]
    if (!this.style.processes || !this.random.chance(0.5)) return events
    for (let index = events.length - 1; index > 0; index--) {
      const other = this.random.between(0, index)
      ;[events[index], events[other]] = [events[other]!, events[index]!]
    }
    return events
  }

  next(prefix: string): string {
    this.#count++
    return `${prefix}${this.#count}`
  }

  /** An agent that does not have the task. */
  other(...not: string[]): string {
    return this.random.pick(this.agents.filter((agent) => agent !== this.owner && !not.includes(agent)))
  }

  wait(ms: number): void {
    this.#time += ms
  }

  /** The time of the log now, moved by so much. */
  now(ms = 0): string {
    return new Date(this.#time + ms).toISOString()
  }

  write(kind: string, fields: Fields, by = this.owner): void {
    this.#time += this.random.between(20, 4000)
    const writer = this.style.processes ? `p-${by}` : undefined
    const number = (this.#numbers.get(writer ?? '') ?? 0) + 1
    this.#numbers.set(writer ?? '', number)
    this.#events.push({
      run: this.run,
      seq: number,
      at: new Date(this.#time + this.#skewOf(writer)).toISOString(),
      kind,
      ...(writer === undefined ? {} : { writer }),
      ...(this.style.extras ? { 'x-build': 'b7', tenant: { region: 'eu' } } : {}),
      ...fields,
    } as RunEvent)
  }

  #skewOf(writer: string | undefined): number {
    if (writer === undefined) return 0
    const skew = this.#skews.get(writer) ?? this.random.between(-SKEW_MS, SKEW_MS)
    this.#skews.set(writer, skew)
    return skew
  }

  /** Items as the runtime keeps them. */
  items(items: readonly Item[]): Item[] {
    const { form, ids } = this.style
    return inForm(ids ? items : items.map(withoutId), form)
  }

  newCall(write: boolean, fields: Partial<Call> = {}): Call {
    const op = this.next('op-')
    return {
      op,
      call: this.next('call_'),
      tool: this.random.pick(write ? WRITES : READS),
      args: { ref: `REF-${op}`, count: this.random.between(1, 500) },
      ...(write ? { key: `key:${this.run}:${op}` } : {}),
      write,
      agent: this.owner,
      ...fields,
    }
  }

  operation(call: Call, state: string, more: Fields = {}): void {
    const { agent = call.agent } = more
    this.write(
      'operation',
      {
        agent,
        op: call.op,
        tool: call.tool,
        args: call.args,
        effect: call.write ? 'write' : 'read',
        state,
        call: call.call,
        ...(call.key === undefined ? {} : { key: call.key }),
        ...more,
      },
      String(agent),
    )
  }

  callItem({ call, tool, args, op, agent }: Call): void {
    // Some models think before they call, and the thought stays in the history.
    if (op.endsWith('3')) {
      const content = `I need ${tool} for ${op}.`
      this.history.push({ id: `r-${op}`, type: 'reasoning', role: 'assistant', content, author: agent })
    }
    this.history.push({ id: this.next('i'), type: 'tool_call', call, tool, args, op, author: agent })
  }

  resultItem({ call, tool, op }: Call, content: string): void {
    this.history.push({ id: this.next('i'), type: 'tool_result', call, tool, content, op })
  }

  /** The answer to a call, in the log and before the model. */
  answer(call: Call, more: Fields = {}): void {
    call.result ??= `result of ${call.op}`
    this.operation(call, 'settled', { result: call.result, ...more })
    this.resultItem(call, call.result)
    this.done.push(call)
    this.moved = true
  }

  perform(call: Call): Call {
    this.callItem(call)
    this.operation(call, 'sent')
    this.answer(call)
    return call
  }

  say(role: 'user' | 'assistant', content: string, fields: Fields = {}): Item {
    const id = this.next(role === 'user' ? 'u' : 'a')
    this.write('message', { id, agent: this.owner, role, content, ...fields })
    const author = role === 'user' ? {} : { author: this.owner }
    const item: Item = { id, type: 'message', role, content, ...author }
    this.history.push(item)
    if (role === 'user') this.moved = true
    return item
  }

  record(): Fields {
    return {
      task: `finish what the user asked for in ${this.run}`,
      origin: this.principal,
      intent: `what was asked last (${this.next('n')})`,
      constraints: [...this.rules],
      status: { done: this.done.map(({ op }) => op), pending: this.open.map(({ op }) => op) },
      evidence: this.done.map(({ op }) => ({ ref: op })),
      next_action: 'go on',
      stop_condition: 'the user has an answer',
      open_operations: this.open.map(({ op, tool, args, key }) => ({
        op,
        tool,
        args,
        key,
        state: 'unknown',
      })),
      completed_effects: this.done.map(({ op, tool, key, result }) => ({
        op,
        tool,
        key,
        result,
        state: 'settled',
      })),
      pending_actions: [],
      commitments: this.promises.map(({ id, text }) => ({ id, text, state: 'open' })),
      correlation_id: this.run,
    }
  }

  /** Settles all that is in doubt, as a receiver does before anything else. */
  settle(): void {
    for (const call of this.open.splice(0)) {
      if (this.random.chance(0.5)) {
        this.operation(call, 'closed', { by: 'closed', agent: this.owner })
      } else {
        call.result = `result of ${call.op}`
        this.operation(call, 'settled', { by: 'key', result: call.result, agent: this.owner })
        this.done.push(call)
      }
      this.moved = true
    }
  }

  keep({ id, text, agent }: Promised): void {
    this.write('commitment', { id, text, agent, state: 'closed' }, agent)
    this.promises = this.promises.filter((promise) => promise.id !== id)
  }
}

/** What other items point at keeps its id. */
function withoutId(item: Item): Item {
  if (item.covers !== undefined || item.type === 'reasoning') return item
  const { id: _, op: __, ...rest } = item
  return rest
}
