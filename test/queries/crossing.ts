import type { Degree, Fact } from './facts.ts'
import { receiverWorks } from './receiver-works.ts'
import type { Story } from './story.ts'

export type Item = Record<string, unknown>
export type Read = { tool: string; args: Item; line: string; items: [Item, Item] }
export type Write = { op: string; tool: string; args: Item; key: string; call: import('./facts.ts').CallFact }
export type Doubt = {
  op: string
  tool: string
  args: Item
  key?: string | undefined
  fact: Fact['inDoubt'][number]
}

const DEGREES: Degree[] = [
  'carried',
  'carried',
  'altered',
  'key in words',
  'described',
  'mentioned',
  'absent',
]
const NARRATION: Record<string, string> = {
  send_invoice: 'Sending the invoice now.',
  book_pickup: 'Booking a pickup now.',
  issue_refund: 'Issuing a refund now.',
}
const CONTRACT = ['intent', 'status', 'next_action', 'stop_condition']

/** One handoff of a story with everything that can cross at it, and the work before and after it. */
export class Crossing {
  readonly story: Story
  readonly from: string
  readonly to: string
  readonly last: boolean
  readonly reads: Read[] = []
  readonly items: Item[] = []
  readonly record: Record<string, unknown> = {}
  readonly doubts: Doubt[] = []
  readonly references: string[] = []
  done: Write | undefined
  fact!: Fact
  /** What is drawn before the handoff is sent, and true of the attempt that arrives. */
  readonly #crossed: Pick<Fact, 'dropped' | 'inDoubt' | 'constraints' | 'approvals' | 'contract'> &
    Pick<Fact, 'droppedResults' | 'sensitive' | 'references'> = {
    ...{ dropped: {}, inDoubt: [], constraints: [], approvals: [], contract: [] },
    ...{ droppedResults: 0, sensitive: 0, references: 0 },
  }

  constructor(story: Story, from: string, to: string, last: boolean) {
    this.story = story
    this.from = from
    this.to = to
    this.last = last
  }

  /** Gives the agent that goes on; '' if nobody does. */
  tell(): string {
    const { story, from, to } = this
    this.#work()
    const after = this.#draw()
    const due = story.pick(['at once', 'in an hour', undefined])
    const fields = {
      mode: story.pick(['transfer', 'transfer', 'delegate']),
      brief: `task ${story.next()} of ${story.run}`,
      items_before: [story.user(), ...this.reads.flatMap(({ items }) => items)],
      principal: { kind: 'schedule', id: 'nightly' },
      permissions: { deny: ['wipe_disk'] },
      trace: { id: `${story.next()}`.padStart(32, '0') },
      task: { id: story.id('t') },
      requested_action: story.pick(['approve', 'review', 'continue', undefined]),
      // No run lasts an hour, and nobody answers before it was asked.
      ack_due: due && new Date(story.now + (due === 'at once' ? 0 : 3_600_000)).toISOString(),
    }
    const fate = story.pick([
      'accepted',
      'accepted',
      'accepted',
      'received',
      'declined',
      'retried',
      'dead-lettered',
    ])
    this.fact = story.send(from, to, fields)
    this.fact.requestedAction = fields.requested_action
    if (fate === 'dead-lettered') {
      story.write('handoff.dead_lettered', { handoff: this.fact.handoff, reason: 'nobody listens' })
      this.fact.outcome = fate
      return ''
    }
    if (fate === 'retried') {
      story.write('handoff.failed', {
        handoff: this.fact.handoff,
        attempt: 1,
        outcome: 'refused',
        error: 'busy',
      })
      this.fact.outcome = 'failed'
      this.fact = story.send(from, to, fields, this.fact)
      this.fact.requestedAction = fields.requested_action
    }
    this.#cross(fields)
    after()
    if (due !== undefined) this.fact.late = due === 'at once'
    return this.#answer(fate)
  }

  /** What the sender does before: some calls of its own, and what must cross. */
  #work(): void {
    const { story, from } = this
    for (let index = story.below(3); index > 0; index--) this.reads.push(this.read(from, 'find_part', {}))
    if (story.chance(0.4)) this.done = this.settledWrite(from, 'reserve_stock', { part: story.id('p') })
    const tools = Object.keys(NARRATION)
    for (let index = story.below(3); index > 0; index--) {
      const tool = tools[index]!
      const [op, args] = [story.id('op'), { order: story.id('o') }]
      const key = story.chance(0.9) ? story.id('k') : undefined
      story.call(from, { op, tool, args, key, effect: 'write' }, { state: 'unknown', error: 'no answer' })
      const fact = {
        degree: key === undefined ? ('absent' as const) : story.pick(DEGREES),
        hasKey: key !== undefined,
      }
      this.doubts.push({ op, tool, args, key, fact })
    }
  }

  /** Draws what will cross. Gives what ends rules and approvals again, so that they belong to this handoff alone. */
  #draw(): () => void {
    const { story, items } = this
    items.push(story.user())
    this.#crossReads()
    for (const doubt of this.doubts) this.#crossDoubt(doubt)
    this.#crossed.inDoubt = this.doubts.map((doubt) => doubt.fact)
    const rules = this.#crossConstraints()
    const approval = this.#crossApproval()
    this.#crossRecord()
    return () => {
      for (const id of rules) story.write('constraint', { id, state: 'revoked', agent: this.from })
      if (approval === undefined) return
      for (const state of ['approved', 'consumed'])
        story.write('approval', { ...approval, state, by: 'lena' })
    }
  }

  /** Writes the receipt, and notes what it brought. */
  #cross(fields: { trace: { id: string }; task: { id: string } }): void {
    const { story, fact, record, items } = this
    const origin = story.pick(['same', 'same', 'absent', 'changed', 'escalated'])
    const principals: Record<string, unknown> = {
      same: { kind: 'schedule', id: 'nightly' },
      changed: { kind: 'schedule', id: 'hourly' },
      escalated: { kind: 'human', id: 'nightly' },
    }
    const [gained, lost] = [story.chance(0.2), story.chance(0.2)]
    const traceId = story.pick([fields.trace.id, 'f'.repeat(32), undefined])
    const taskId = story.pick([fields.task.id, 'another', undefined])
    const recorded = Object.keys(record).length > 0
    const received = {
      items,
      record: recorded ? record : undefined,
      instructions: story.chance(0.5) ? 'Go on with the task.' : undefined,
      principal: principals[origin],
      trace: traceId === undefined ? undefined : { id: traceId },
      task: taskId === undefined ? undefined : { id: taskId },
      tools: [
        'find_part',
        'reserve_stock',
        ...(lost ? [] : ['print_label']),
        ...(gained ? ['wipe_disk'] : []),
      ],
    }
    story.receive(fact, received)
    if (story.chance(0.1)) story.receive(fact, received)
    Object.assign(fact, this.#crossed, {
      origin,
      permissionsKnown: true,
      gained: Number(gained),
      lost: Number(lost),
      instructions: received.instructions !== undefined,
    })
    fact.trace = traceId === undefined ? 'not judged' : traceId === fields.trace.id ? 'same' : 'broken'
    fact.task = taskId === fields.task.id ? 'same' : 'broken'
    fact.recordFields = Object.keys(record)
    fact.recordBytes = recorded ? Buffer.byteLength(JSON.stringify(record)) : undefined
    fact.payload = 'own'
    const sizes = items.map((item) => Buffer.byteLength(JSON.stringify(item)))
    fact.largestType = String(items[sizes.indexOf(Math.max(...sizes))]!.type)
  }

  #crossReads(): void {
    const { story } = this
    const fact = this.#crossed
    for (const { items, line } of this.reads) {
      if (story.chance(0.5)) {
        this.items.push(...items)
        continue
      }
      fact.dropped.tool_call = (fact.dropped.tool_call ?? 0) + 1
      fact.dropped.tool_result = (fact.dropped.tool_result ?? 0) + 1
      if (story.chance(0.3)) {
        this.say(line)
        fact.droppedResults++
      }
    }
    if (story.chance(0.3)) {
      const secret = `pin ${story.id('secret')}`
      const op = story.id('op')
      story.call(
        this.from,
        { op, tool: 'find_part', args: { part: op } },
        { state: 'settled', result: {}, sensitive: [secret] },
      )
      if (story.chance(0.5)) {
        this.say(`It is ${secret}.`)
        fact.sensitive++
      }
    }
  }

  #crossDoubt({ op, tool, args, key, fact }: Doubt): void {
    const open = (entry: Item) => {
      this.record.open_operations = [...((this.record.open_operations as Item[]) ?? []), entry]
    }
    if (fact.degree === 'carried') open({ op, tool, args, key, state: 'unknown' })
    if (fact.degree === 'altered') open({ op, tool, args: { order: 'another' }, key, state: 'unknown' })
    if (fact.degree === 'key in words') this.say(`Ask with ${key} how it went.`)
    if (fact.degree === 'described')
      this.items.push({ id: this.story.id('i'), type: 'tool_call', call: op, tool, args })
    if (fact.degree === 'mentioned') this.say(NARRATION[tool]!)
  }

  /** Each rule is told to the sender right before, and revoked right after, so that it belongs to this handoff alone. */
  #crossConstraints(): string[] {
    const { story } = this
    const fact = this.#crossed
    return Array.from({ length: story.below(3) }, () => {
      const [id, n] = [story.id('c'), story.next()]
      const text = `zor${n} kal${n} mip${n} tef${n}`
      story.write('constraint', { id, text, agent: this.from })
      const degree = story.pick(['same', 'same', 'reworded', 'in words only', 'absent'])
      fact.constraints.push(degree)
      const enter = (entry: Item) => {
        this.record.constraints = [...((this.record.constraints as Item[]) ?? []), entry]
      }
      if (degree === 'same') enter({ id, text })
      if (degree === 'reworded') enter({ id, text: `zor${n} kal${n} or so` })
      if (degree === 'in words only') this.say(`Rule: ${text}`)
      return id
    })
  }

  #crossApproval(): Item | undefined {
    const { story } = this
    const fact = this.#crossed
    if (!story.chance(0.4)) return undefined
    const approval = {
      id: story.id('a'),
      action: 'pay_bill',
      scope: { amount: story.next() },
      agent: this.from,
    }
    story.write('approval', { ...approval, state: 'pending' })
    const verdict = story.pick(['same', 'scope changed', 'absent'])
    fact.approvals.push(verdict === 'same')
    const { id, action, scope } = approval
    if (verdict === 'same') this.record.pending_actions = [{ id, action, scope }]
    if (verdict === 'scope changed') this.record.pending_actions = [{ id, action, scope: { amount: 0 } }]
    return approval
  }

  #crossRecord(): void {
    const { story, record } = this
    const fact = this.#crossed
    for (const field of CONTRACT) {
      if (story.chance(0.5)) record[field] = story.chance(0.8) ? `${field} of this task` : ''
    }
    for (let index = story.below(3); index > 0; index--) this.references.push(story.id('doc'))
    if (this.references.length > 0 || story.chance(0.3))
      record.evidence = this.references.map((ref) => ({ ref, summary: 'see there' }))
    if (story.chance(0.2)) record.constraints ??= []
    fact.references = this.references.length
    fact.contract = [...CONTRACT, 'constraints', 'evidence'].filter(
      (field) => record[field] !== undefined && record[field] !== '',
    )
  }

  #answer(fate: string): string {
    const { story, fact, from, to } = this
    if (fate === 'declined') {
      story.write('handoff.declined', { handoff: fact.handoff, attempt: fact.attempt, by: to })
      fact.outcome = 'declined'
      this.#findOut()
      return from
    }
    if (fate !== 'received') {
      story.write('handoff.accepted', { handoff: fact.handoff, attempt: fact.attempt, by: to })
      fact.outcome = 'accepted'
    }
    receiverWorks(this)
    if (fact.requestedAction?.match(/approve|review/) && story.chance(0.7)) {
      fact.verdict = story.pick(['approve', 'request_changes', 'block', 'acknowledge'])
      fact.verdictAt = story.write('handoff.verdict', {
        handoff: fact.handoff,
        by: to,
        verdict: fact.verdict,
      })
    }
    return to
  }

  /** The sender of a declined handoff finds out by itself what became of its writes. */
  #findOut(): void {
    for (const { op, tool, args, key, fact } of this.doubts) {
      const at = this.story.write('operation', {
        op,
        tool,
        args,
        key,
        effect: 'write',
        agent: this.from,
        state: 'settled',
        result: {},
        by: 'awaited',
      })
      this.settle(fact, 'before planning', 'awaited', at)
    }
  }

  settle(fact: Fact['inDoubt'][number], order: string, by: string | undefined, at: number | undefined): void {
    if (fact.degree !== 'carried' && fact.degree !== 'altered') return
    fact.settled = order
    fact.by = by
    fact.ms = at === undefined ? undefined : at - this.fact.receivedAt!
  }

  say(content: string): void {
    this.items.push({
      id: this.story.id('i'),
      type: 'message',
      role: 'assistant',
      author: this.from,
      content,
    })
  }

  read(agent: string, tool: string, more: Item): Read {
    const { story } = this
    const [op, part] = [story.id('op'), story.id('p')]
    const args = { part, ...more }
    const line = `${part} stands in aisle ${story.next()} of the hall`
    story.call(agent, { op, tool, args, call: op }, { state: 'settled', result: line })
    const call = { id: story.id('i'), type: 'tool_call', call: op, tool, args }
    return {
      tool,
      args,
      line,
      items: [call, { id: story.id('i'), type: 'tool_result', call: op, content: line }],
    }
  }

  settledWrite(agent: string, tool: string, args: Item, key = this.story.id('k')): Write {
    const op = this.story.id('op')
    const result = { reference: this.story.id('ref') }
    const call = this.story.call(
      agent,
      { op, tool, args, key, effect: 'write' },
      { state: 'settled', result },
    )
    return { op, tool, args: { ...args, reference: result.reference }, key, call }
  }
}
