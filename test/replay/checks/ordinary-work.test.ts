import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unsettledWork } from '../../../replay/catalogue/unsettled-work.ts'
import { type Entry, end, item, judge, message, operation, received, sent, start } from '../run-builder.ts'

/** What an agent does in one turn. Everything here is how a sound runtime works, so nothing may be raised. */
type Act =
  | { do: 'say' }
  | { do: 'read'; about: number }
  | { do: 'write'; about: number; tries: number; keyed: boolean }
  | { do: 'rounds'; times: number }
  | { do: 'transfer' }
  | { do: 'delegate'; brief: number; reads: number }
  | { do: 'resume'; inDoubt: boolean }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('say' as const) }),
  fc.record({ do: fc.constant('read' as const), about: fc.nat(3) }),
  fc.record({
    do: fc.constant('write' as const),
    about: fc.nat(3),
    tries: fc.integer({ min: 1, max: 3 }),
    keyed: fc.boolean(),
  }),
  fc.record({ do: fc.constant('rounds' as const), times: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('transfer' as const) }),
  fc.record({ do: fc.constant('delegate' as const), brief: fc.nat(2), reads: fc.nat(3) }),
  fc.record({ do: fc.constant('resume' as const), inDoubt: fc.boolean() }),
)

const AGENTS = ['frontdesk', 'orders', 'billing']

/** A runtime that keeps its history, gives every intended effect its key, and hands over what it knows. */
class SoundRuntime {
  readonly entries: Entry[] = [start()]
  #items: unknown[] = []
  #owner = 0
  #count = 0

  get agent(): string {
    return AGENTS[this.#owner]!
  }

  turn(acts: readonly Act[]): void {
    const said = item.user(this.#id('u'), `request number ${this.#count}`)
    this.#items.push(said)
    this.entries.push(message('user', said.content, { id: said.id, agent: this.agent }))
    for (const one of acts) this.#do(one)
  }

  #id(letter: string): string {
    return `${letter}${++this.#count}`
  }

  #do(one: Act): void {
    if (one.do === 'say') this.#say()
    else if (one.do === 'read') this.#call('look_up', { about: one.about }, 'read', ['settled'])
    else if (one.do === 'write') this.#write(one)
    else if (one.do === 'rounds') this.#rounds(one.times)
    else if (one.do === 'transfer') this.#transfer()
    else if (one.do === 'delegate') this.#delegate(one)
    else this.#resume(one.inDoubt)
  }

  #say(): void {
    const id = this.#id('a')
    this.#items.push(item.agent(id, this.agent, 'done'))
    this.entries.push(message('assistant', 'done', { agent: this.agent, id }))
  }

  #call(tool: string, args: object, effect: string, states: string[], fields: object = {}): void {
    const op = this.#id('op')
    const call = this.#id('call')
    let attempt = 1
    for (const state of states) {
      if (state === 'again') attempt++
      const result = state === 'settled' ? { result: `result of ${op}` } : {}
      const entry = { effect, call, attempt, ...fields, ...result }
      this.entries.push(operation(this.agent, op, tool, args, state === 'again' ? 'sent' : state, entry))
    }
    this.#items.push(item.call(this.#id('i'), call, tool, args, { op }))
    this.#items.push(item.result(this.#id('i'), call, `result of ${op}`, { op }))
  }

  /** A wish has a key of its own; every attempt at it keeps that. A write without a key is tried once. */
  #write({ about, tries, keyed }: Extract<Act, { do: 'write' }>): void {
    const args = { item: about, wish: keyed ? 0 : this.#count }
    const retries = keyed ? Array.from({ length: tries - 1 }, () => ['unknown', 'again']).flat() : []
    const key = keyed ? { key: this.#id('key') } : {}
    this.#call(
      'book',
      keyed ? { ...args, wish: this.#count } : args,
      'write',
      ['sent', ...retries, 'settled'],
      key,
    )
  }

  #rounds(times: number): void {
    for (let round = 0; round < times; round++) {
      this.#call('edit', { file: 'a.ts', round: this.#count }, 'write', ['settled'])
      this.#call('run_tests', {}, 'write', ['settled'])
    }
  }

  #hand(id: string, from: string, to: string, mode: string, record: object): void {
    this.entries.push(
      sent(id, from, to, { mode, items_before: [...this.#items], record }),
      received(id, to, { items: [...this.#items], record }),
    )
  }

  #transfer(): void {
    const from = this.agent
    this.#owner = (this.#owner + 1) % AGENTS.length
    this.#hand(this.#id('h'), from, this.agent, 'transfer', { open_operations: [] })
  }

  #delegate({ brief, reads }: Extract<Act, { do: 'delegate' }>): void {
    const words = `brief ${brief} for request ${this.#count}`
    const asked = [item.user(this.#id('b'), words)]
    const id = this.#id('h')
    this.entries.push(
      sent(id, this.agent, 'helper', { mode: 'delegate', brief: words, items_before: [...this.#items] }),
      received(id, 'helper', { items: asked, mode: 'delegate' }),
    )
    const own: unknown[] = [...asked]
    for (let n = 0; n < reads; n++) {
      const [op, call] = [this.#id('op'), this.#id('call')]
      const fields = { effect: 'read', call, result: `page of ${op}` }
      this.entries.push(operation('helper', op, 'fetch_page', { n: op }, 'settled', fields))
      own.push(item.call(this.#id('i'), call, 'fetch_page', { n: op }, { op }))
      own.push(item.result(this.#id('i'), call, `page of ${op}`, { op }))
    }
    const report = item.agent(this.#id('a'), 'helper', 'the report')
    this.#items.push(report)
    const back = this.#id('h')
    this.entries.push(
      sent(back, 'helper', this.agent, { mode: 'return', items_before: [...own, report] }),
      received(back, this.agent, { items: [...this.#items], mode: 'return' }),
    )
  }

  /** Goes on in another process; what was in doubt is carried with its key and settled first. */
  #resume(inDoubt: boolean): void {
    if (!inDoubt) {
      this.#hand(this.#id('h'), this.agent, this.agent, 'resume', {})
      return
    }
    const [op, key] = [this.#id('op'), this.#id('key')]
    const args = { item: 1, wish: op }
    this.entries.push(operation(this.agent, op, 'book', args, 'sent', { key }))
    this.entries.push({ kind: 'process.crash', agent: this.agent })
    const record = { open_operations: [{ op, tool: 'book', args, key, state: 'unknown' }] }
    this.#hand(this.#id('h'), this.agent, this.agent, 'resume', record)
    this.entries.push(
      operation(this.agent, op, 'book', args, 'settled', { key, by: 'key', result: `result of ${op}` }),
    )
    this.#items.push(item.agent(this.#id('a'), this.agent, `It had landed: result of ${op}.`))
  }
}

describe('unsettled work in ordinary runs', () => {
  const ids = new Set(unsettledWork.checks.map(({ id }) => id))

  it('raises nothing, however long the run and whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.array(act, { maxLength: 6 }), { maxLength: 12 }), (turns) => {
        const runtime = new SoundRuntime()
        for (const acts of turns) runtime.turn(acts)
        const { findings } = judge(...runtime.entries, end())
        expect(
          findings.filter(({ check }) => ids.has(check)).map(({ check, message }) => [check, message]),
        ).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it('never throws on entries that lack nearly everything', () => {
    const bare = fc.record(
      {
        kind: fc.constantFrom(
          'operation',
          'handoff.sent',
          'handoff.received',
          'handoff.failed',
          'message',
          'task.state',
          'truth',
        ),
        op: fc.constantFrom('op-1', 'op-2'),
        handoff: fc.constantFrom('h1', 'h2'),
        tool: fc.constantFrom('', 'book'),
        effect: fc.constantFrom('read', 'write'),
        state: fc.constantFrom('sent', 'unknown', 'settled', 'failed', 'odd'),
        key: fc.constantFrom('k1', 'k2'),
        args: fc.jsonValue(),
        result: fc.jsonValue(),
        from: fc.constantFrom('a', 'b'),
        to: fc.constantFrom('a', 'b'),
        by: fc.constantFrom('a', 'b', 'details'),
        mode: fc.constantFrom('transfer', 'delegate', 'return', 'resume'),
        items: fc.array(fc.jsonValue()),
        items_before: fc.array(fc.jsonValue()),
        record: fc.jsonValue(),
        brief: fc.jsonValue(),
        policy: fc.record({ filter: fc.jsonValue(), history: fc.jsonValue() }),
      },
      { requiredKeys: ['kind', 'op', 'handoff', 'state'] },
    )
    fc.assert(
      fc.property(fc.array(bare, { maxLength: 14 }), (entries) => {
        for (const { evidence } of judge(...entries).findings) expect(evidence.length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
