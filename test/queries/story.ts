import { random } from '../../bench/random.ts'
import { Crossing } from './crossing.ts'
import type { CallFact, Fact, Told } from './facts.ts'

type Fields = Record<string, unknown>

const AGENTS = ['coordinator', 'orders', 'billing', 'shipping']
const START = Date.parse('2031-03-01T09:00:00Z')
const PRINCIPAL = { kind: 'schedule', id: 'nightly' }
const TOOLS = ['find_part', 'reserve_stock', 'print_label']

/** Several runs, drawn from a seed, with everything that is true of them. */
export function tellStories(seed: number, runs: number): Told {
  const told: Told = { events: [], facts: [], completed: new Map() }
  for (let index = 0; index < runs; index++)
    new Story(told, `run-${seed}-${index}`, seed * 1000 + index).tell()
  return told
}

/** Writes one run: agents work, hand over, and things cross or do not, as the dice say. Each of them is noted as a fact. */
export class Story {
  readonly dice: () => number
  readonly #told: Told
  readonly run: string
  readonly #framework: string | undefined
  readonly engaged = new Map<string, Fact>()
  /** Whoever was delegated to has a task of its own left when it hands another one on. */
  readonly helpers = new Set<string>()
  #clock: number
  #seq = 0
  #count = 0
  /** What each agent received last. */
  #latest = new Map<string, { fact: Fact; tokens: number }>()

  constructor(told: Told, run: string, seed: number) {
    this.#told = told
    this.run = run
    this.dice = random(seed)
    // Over four days, so that there is something to see from day to day.
    this.#clock = START + Math.floor(this.dice() * 4 * 86_400_000)
    this.#framework = this.pick(['openai-agents', 'langgraph', undefined])
  }

  tell(): void {
    this.write('run.start', {
      principal: PRINCIPAL,
      agents: AGENTS.map((name) => ({ name, tools: TOOLS })),
      framework: this.#framework,
    })
    this.write('message', { ...this.user(), role: 'user' })
    let agent = AGENTS[0]!
    const rounds = 1 + this.below(4)
    for (let round = 1; round <= rounds; round++) {
      const to = this.pick(AGENTS.filter((name) => name !== agent))
      const kind = this.pick(['loop', 'standard', ...Array(5).fill('crossing')])
      if (kind === 'loop') agent = this.#loop(agent, to)
      else if (kind === 'standard' && round === 1) agent = this.#standard(agent, to)
      else agent = new Crossing(this, agent, to, round === rounds).tell()
      if (agent === '') break
    }
    const end = agent === '' ? 'run.failed' : this.pick(['run.end', 'run.end', 'run.failed', undefined])
    this.#told.completed.set(this.run, end === 'run.end')
    if (end !== undefined) this.write(end, end === 'run.end' ? { outcome: 'done' } : { error: 'stopped' })
  }

  /** The same brief to and fro, with no work in between. */
  #loop(a: string, b: string): string {
    const brief = `loop ${this.next()} of ${this.run}`
    const times = 2 + this.below(5)
    let [from, to] = [a, b]
    for (let index = 0; index < times; index++) {
      this.#plain(from, to, brief, [this.user()], [this.user()], 1 + (index >> 1))
      ;[from, to] = [to, from]
    }
    return from
  }

  /** The same input in every run, with one of two payloads. */
  #standard(from: string, to: string): string {
    const item = {
      id: this.id('m'),
      type: 'message',
      role: 'assistant',
      author: from,
      content: 'the standard case',
    }
    const extra = {
      id: this.id('m'),
      type: 'message',
      role: 'assistant',
      author: from,
      content: 'noted twice',
    }
    this.#plain(from, to, 'the standard task', [item], this.chance(0.3) ? [item, extra] : [item], 1)
    return to
  }

  #plain(
    from: string,
    to: string,
    brief: string,
    itemsBefore: unknown[],
    items: unknown[],
    lap: number,
  ): void {
    const fact = this.send(from, to, {
      mode: 'transfer',
      brief,
      items_before: itemsBefore,
      principal: PRINCIPAL,
    })
    this.receive(fact, { items, principal: PRINCIPAL })
    Object.assign(fact, { lap, origin: 'same', payload: String(items.length), largestType: 'message' })
    this.write('handoff.accepted', { handoff: fact.handoff, by: to })
    fact.outcome = 'accepted'
  }

  /** Writes the sending, and begins a fact in which nothing has crossed yet. */
  send(
    from: string,
    to: string,
    fields: Fields & { mode: string; brief: string; items_before: unknown[] },
    again?: Fact,
  ): Fact {
    const handoff = again?.handoff ?? this.id('h')
    const attempt = (again?.attempt ?? 0) + 1
    const style = this.pick(['full', 'record', undefined])
    const policy = style === undefined ? undefined : { history: style }
    const sentAt = this.write('handoff.sent', { handoff, attempt, from, to, agent: from, policy, ...fields })
    const fact: Fact = {
      ...{
        run: this.run,
        handoff,
        attempt,
        sentAt,
        from,
        to,
        style,
        mode: fields.mode,
        framework: this.#framework,
      },
      ...{
        deliveries: 0,
        outcome: 'sent',
        itemsBefore: fields.items_before,
        recordFields: [],
        instructions: false,
      },
      ...{
        contract: [],
        inDoubt: [],
        constraints: [],
        approvals: [],
        origin: 'not judged',
        permissionsKnown: false,
        gained: 0,
        lost: 0,
      },
      ...{
        sensitive: 0,
        droppedResults: 0,
        dropped: {},
        references: 0,
        used: 0,
        trace: 'not judged',
        lap: 1,
      },
      ...{ task: 'not judged', twoActive: false, input: fields.brief, calls: [] },
    }
    this.#told.facts.push(fact)
    return fact
  }

  /** Writes the receipt, and notes what every receipt changes. */
  receive(fact: Fact, fields: Fields & { items: unknown[] }): void {
    const { handoff, attempt, to } = fact
    const at = this.write('handoff.received', { handoff, attempt, by: to, agent: to, ...fields })
    fact.deliveries++
    if (fact.deliveries > 1) return
    const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(fields.items)) / 4)
    const before = this.#latest.get(fact.from)
    Object.assign(fact, { receivedAt: at, items: fields.items, outcome: 'received' })
    fact.hop = (before?.fact.hop ?? 0) + 1
    fact.growth = before && tokens / before.tokens
    this.#latest.set(to, { fact, tokens })
    this.engaged.set(to, fact)
    if (fact.mode === 'delegate') this.helpers.add(to)
  }

  /** A call that leaves: two events, `sent` and what came of it. */
  call(agent: string, fields: Fields & { op: string; tool: string }, outcome: Fields): CallFact {
    const effect = fields.effect ?? 'read'
    const at = this.write('operation', { agent, effect, ...fields, state: 'sent' })
    this.write('operation', { agent, effect, ...fields, ...outcome })
    const call: CallFact = { at, write: effect === 'write', redundant: false, redone: false, refused: false }
    this.engaged.get(agent)?.calls.push(call)
    return call
  }

  /** Writes an event and gives its time. */
  write(kind: string, fields: Fields): number {
    this.#clock += 20 + this.below(3000)
    this.#seq++
    this.#told.events.push({
      run: this.run,
      seq: this.#seq,
      at: new Date(this.#clock).toISOString(),
      kind,
      ...fields,
    })
    return this.#clock
  }

  get now(): number {
    return this.#clock
  }

  user() {
    return { id: `m-${this.run}`, type: 'message', role: 'user', content: 'please see to it' }
  }

  next(): number {
    return ++this.#count
  }

  id(kind: string): string {
    return `${kind}-${this.run}-${this.next()}`
  }

  chance(share: number): boolean {
    return this.dice() < share
  }

  below(number: number): number {
    return Math.floor(this.dice() * number)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}
