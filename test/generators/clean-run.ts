import type { RunEvent } from '../../model/run-log.ts'
import { Random } from './random.ts'

/*
 * Ordinary runs of a sound runtime: nothing is lost, repeated, leaked or left open, so no check may say anything. Agents
 * read and write under keys, ask for approval and wait for it, make promises and keep them, hand over by transfer, delegate
 * and take the answer back, are resumed, with the whole history, without tool plumbing, or with a brief; requests that are in
 * doubt cross in the record and are closed before anything else happens.
 */

type Item = Record<string, unknown>
type Call = {
  op: string
  call: string
  tool: string
  args: Record<string, unknown>
  key?: string
  result?: unknown
  write: boolean
}

const AGENTS = ['orders', 'billing', 'Ana', 'support-bot', 'planner', 'günther', '調達', 'research_agent']
const READS = ['check_stock', 'get_invoice', 'search_docs', 'lookupCustomer', 'list_files', 'price']
const WRITES = ['reserve_stock', 'send_invoice', 'create_ticket', 'updateRecord', 'refund', 'book_slot']
const WISHES = [
  'Please reserve the parts and bill me.',
  'How much is it, and when does it arrive?',
  '在庫を確認してください。',
  'Bitte Rechnung schicken.',
  'ok',
  'yes',
  'And the other one, please.',
]

/** Builds one ordinary run of about `turns` turns. */
export function cleanRun(seed: number, turns = 12): RunEvent[] {
  return new CleanRun(seed, turns).build()
}

class CleanRun {
  readonly #random: Random
  readonly #turns: number
  readonly #run: string
  readonly #events: RunEvent[] = []
  readonly #agents: string[]
  #time = Date.parse('2031-05-06T08:00:00Z')
  #count = 0
  #owner: string
  #history: Item[] = []
  #open: Call[] = []
  #done: Call[] = []
  #rules: { id: string; text: string; check?: unknown }[] = []
  #promises: { id: string; text: string; agent: string }[] = []

  constructor(seed: number, turns: number) {
    this.#random = new Random(seed)
    this.#turns = turns
    this.#run = `clean-${seed}`
    const count = this.#random.between(2, 4)
    const from = this.#random.between(0, AGENTS.length - 1)
    this.#agents = Array.from({ length: count }, (_, index) => AGENTS[(from + index) % AGENTS.length]!)
    this.#owner = this.#agents[0]!
  }

  build(): RunEvent[] {
    this.#write('run.start', {
      principal: { id: `u-${this.#random.between(1, 99)}`, kind: 'human' },
      agents: this.#agents.map((name) => ({ name, tools: [...READS, ...WRITES] })),
    })
    if (this.#random.chance(0.5)) this.#declareRule()
    this.#userSpeaks()
    for (let turn = 0; turn < this.#turns; turn++) this.#turn()
    this.#settleEverything()
    for (const promise of this.#promises.splice(0)) this.#closePromise(promise)
    this.#agentSpeaks()
    this.#write('run.end', {})
    return this.#events
  }

  #turn(): void {
    const acts = [
      () => this.#userSpeaks(),
      () => this.#agentSpeaks(),
      () => this.#read(),
      () => this.#read(),
      () => this.#writeCall(),
      () => this.#approvedCall(),
      () => this.#callInDoubt(),
      () => this.#promise(),
      () => this.#transfer(),
      () => this.#delegate(),
      () => this.#resume(),
    ]
    this.#random.pick(acts)()
  }

  #next(prefix: string): string {
    this.#count++
    return `${prefix}${this.#count}`
  }

  #write(kind: string, fields: Record<string, unknown>): void {
    this.#time += this.#random.between(20, 4000)
    this.#events.push({
      run: this.#run,
      seq: this.#events.length + 1,
      at: new Date(this.#time).toISOString(),
      kind,
      ...fields,
    } as RunEvent)
  }

  #declareRule(): void {
    const id = this.#next('rule-')
    const rule = { id, text: `never promise a date before the parts are checked (${id})` }
    this.#rules.push(rule)
    this.#write('constraint', { ...rule, scope: 'run', state: 'active' })
  }

  #userSpeaks(): void {
    const id = this.#next('u')
    const content = this.#random.chance(0.4)
      ? this.#random.pick(WISHES)
      : `Next: item ${this.#random.between(100, 9999)}, please.`
    this.#write('message', { id, agent: this.#owner, role: 'user', content })
    this.#history.push({ id, type: 'message', role: 'user', content })
  }

  #agentSpeaks(): void {
    const id = this.#next('a')
    const content = `I have looked at point ${id}.`
    this.#write('message', { id, agent: this.#owner, role: 'assistant', content })
    this.#history.push({ id, type: 'message', role: 'assistant', author: this.#owner, content })
  }

  #operation(call: Call, state: string, more: Record<string, unknown> = {}): void {
    this.#write('operation', {
      agent: this.#owner,
      op: call.op,
      tool: call.tool,
      args: call.args,
      effect: call.write ? 'write' : 'read',
      state,
      call: call.call,
      ...(call.key === undefined ? {} : { key: call.key }),
      ...more,
    })
  }

  #newCall(write: boolean): Call {
    const op = this.#next('op-')
    return {
      op,
      call: this.#next('call_'),
      tool: this.#random.pick(write ? WRITES : READS),
      args: { ref: `REF-${op}`, count: this.#random.between(1, 500) },
      ...(write ? { key: `key:${this.#run}:${op}` } : {}),
      write,
    }
  }

  #callItem(call: Call): void {
    this.#history.push({
      id: this.#next('i'),
      type: 'tool_call',
      call: call.call,
      tool: call.tool,
      args: call.args,
      op: call.op,
      author: this.#owner,
    })
  }

  #resultItem(call: Call, content: string): void {
    this.#history.push({ id: this.#next('i'), type: 'tool_result', call: call.call, content, op: call.op })
  }

  #perform(call: Call): void {
    this.#operation(call, 'sent')
    call.result = `result of ${call.op}`
    this.#operation(call, 'settled', { result: call.result })
    this.#resultItem(call, String(call.result))
    this.#done.push(call)
  }

  #read(): void {
    const call = this.#newCall(false)
    this.#callItem(call)
    this.#perform(call)
  }

  #writeCall(): void {
    const call = this.#newCall(true)
    this.#callItem(call)
    this.#perform(call)
  }

  #approvedCall(): void {
    const call = this.#newCall(true)
    this.#callItem(call)
    this.#operation(call, 'proposed')
    const id = this.#next('ap-')
    const approval = { id, action: call.tool, scope: call.args, for: call.op, agent: this.#owner }
    this.#write('approval', { ...approval, state: 'pending' })
    this.#write('approval', { ...approval, state: 'approved', by: 'u-1', delivered_to: this.#owner })
    this.#operation(call, 'sent', { approval: id })
    call.result = `result of ${call.op}`
    this.#operation(call, 'settled', { approval: id, result: call.result })
    this.#resultItem(call, String(call.result))
    this.#done.push(call)
  }

  /** A request whose reply was lost. It crosses with the next handoff, or is settled here. */
  #callInDoubt(): void {
    const call = this.#newCall(true)
    this.#callItem(call)
    this.#operation(call, 'sent')
    this.#operation(call, 'unknown')
    this.#resultItem(call, 'error: no reply')
    this.#open.push(call)
    if (this.#random.chance(0.3)) this.#settleEverything()
  }

  #settleEverything(): void {
    for (const call of this.#open.splice(0)) {
      if (this.#random.chance(0.5)) {
        this.#operation(call, 'closed', { by: 'closed' })
      } else {
        call.result = `result of ${call.op}`
        this.#operation(call, 'settled', { by: 'key', result: call.result })
        this.#done.push(call)
      }
    }
  }

  #promise(): void {
    const id = this.#next('cm-')
    const promise = { id, text: `come back with an answer to ${id}`, agent: this.#owner }
    this.#write('commitment', { ...promise, state: 'open' })
    this.#promises.push(promise)
    if (this.#random.chance(0.5)) this.#closePromise(this.#promises.pop()!)
  }

  #closePromise({ id, text, agent }: { id: string; text: string; agent: string }): void {
    this.#write('commitment', { id, text, agent, state: 'closed' })
  }

  #record(): Record<string, unknown> {
    return {
      task: 'finish what the user asked for',
      origin: this.#events[0]!.principal,
      intent: 'what the user asked for last',
      constraints: this.#rules,
      status: { done: this.#done.map(({ op }) => op), pending: this.#open.map(({ op }) => op) },
      evidence: this.#done.map(({ op }) => ({ ref: op })),
      next_action: 'go on',
      stop_condition: 'the user has an answer',
      open_operations: this.#open.map(({ op, tool, args, key }) => ({
        op,
        tool,
        args,
        key,
        state: 'unknown',
      })),
      completed_effects: this.#done.map(({ op, tool, key, result }) => ({
        op,
        tool,
        key,
        result,
        state: 'settled',
      })),
      pending_actions: [],
      commitments: this.#promises.map(({ id, text }) => ({ id, text, state: 'open' })),
      correlation_id: this.#run,
    }
  }

  #handoff(
    mode: string,
    to: string,
    reason: string,
    items: Item[],
    more: Record<string, unknown> = {},
  ): void {
    const handoff = this.#next('h')
    const record = this.#record()
    const principal = this.#events[0]!.principal
    const before = structuredClone(this.#history)
    const trace = { id: 'ab'.repeat(16) }
    this.#write('handoff.sent', {
      handoff,
      mode,
      from: this.#owner,
      to,
      reason,
      items_before: before,
      record,
      principal,
      trace,
      ...more,
    })
    this.#write('handoff.received', {
      handoff,
      mode,
      by: to,
      items: structuredClone(items),
      record: structuredClone(record),
      principal,
      trace,
      tools: [...READS, ...WRITES],
    })
    this.#write('handoff.accepted', { handoff, by: to })
    this.#owner = to
    // The promises go over to whoever answers the user from now on; open requests are settled before anything else.
    this.#promises = this.#promises.map((promise) => ({ ...promise, agent: to }))
    this.#settleEverything()
    this.#history = items
  }

  #other(): string {
    return this.#random.pick(this.#agents.filter((agent) => agent !== this.#owner))
  }

  #transfer(): void {
    const to = this.#other()
    const call = this.#next('call_')
    this.#history.push({
      id: this.#next('i'),
      type: 'tool_call',
      call,
      tool: `transfer_to_${to}`,
      args: {},
      author: this.#owner,
    })
    this.#history.push({ id: this.#next('i'), type: 'tool_result', call, content: 'ok' })
    const filtered = this.#random.chance(0.4)
    const items = filtered ? this.#history.filter(({ type }) => type === 'message') : [...this.#history]
    const policy = filtered ? { filter: 'remove-tools', history: 'full' } : { history: 'full' }
    this.#handoff('transfer', to, `needs ${to} for ${call}`, items, { policy, call })
    this.#agentSpeaks()
  }

  /** A helper gets a brief, works, and gives its answer back; the caller goes on with its own history. */
  #delegate(): void {
    const caller = this.#owner
    const history = this.#history
    const brief = `Find out about ${this.#next('topic-')} and report back.`
    const helper = this.#other()
    this.#handoff(
      'delegate',
      helper,
      brief,
      [{ id: this.#next('b'), type: 'message', role: 'user', content: brief }],
      { brief },
    )
    this.#read()
    if (this.#random.chance(0.5)) this.#writeCall()
    const answer = {
      id: this.#next('a'),
      type: 'message',
      role: 'assistant',
      author: helper,
      content: `Answer to: ${brief}`,
    }
    this.#history.push(answer)
    this.#handoff('return', caller, 'report', [...history, answer])
  }

  #resume(): void {
    this.#handoff('resume', this.#owner, 'next turn', [...this.#history], { checkpoint: this.#next('cp-') })
  }
}
