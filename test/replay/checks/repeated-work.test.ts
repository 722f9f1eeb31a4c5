import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  findingsOf,
  item,
  judge,
  message,
  operation,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

const PAY = { vendor: 12, eur: 90 }
const pay = (op: string, state: string, fields: object = {}, agent = 'clerk') =>
  operation(agent, op, 'pay_vendor', PAY, state, fields)
const raise = (check: string, ...entries: Entry[]) => findingsOf(judge(start(), ...entries), check)
const again = message('user', 'the same payment once more, please')

describe('side-effect-repeated', () => {
  const check = 'side-effect-repeated'

  it('is raised once for all repeats of one effect, without keys or under different ones', () => {
    const [finding, ...more] = raise(
      check,
      pay('op-1', 'unknown'),
      pay('op-2', 'unknown'),
      pay('op-3', 'settled'),
    )
    expect(more).toEqual([])
    expect(finding?.evidence).toHaveLength(3)
    expect(
      raise(check, pay('op-1', 'settled', { key: 'a' }), pay('op-2', 'settled', { key: 'b' })),
    ).toHaveLength(1)
  })
  it('is raised across agents', () => {
    const other = pay('op-9', 'settled', {}, 'cashier')
    expect(raise(check, pay('op-1', 'sent'), ...crossed('h1', 'clerk', 'cashier'), other)).toHaveLength(1)
  })
  it('is raised for attempts that share an op id but no key', () => {
    expect(
      raise(check, pay('op-1', 'unknown', { attempt: 1 }), pay('op-1', 'sent', { attempt: 2 })),
    ).toHaveLength(1)
    const keyed = { key: 'p12' }
    expect(
      raise(
        check,
        pay('op-1', 'unknown', { ...keyed, attempt: 1 }),
        pay('op-1', 'sent', { ...keyed, attempt: 2 }),
      ),
    ).toEqual([])
  })
  it('is not raised under one key, wherever the key stands', () => {
    expect(
      raise(check, pay('op-1', 'unknown', { key: 'p12' }), pay('op-2', 'settled', { key: 'p12' })),
    ).toEqual([])
    const args = { ...PAY, idempotencyKey: 'p12' }
    const keyed = (op: string) => operation('clerk', op, 'pay_vendor', args, 'settled')
    expect(raise(check, keyed('op-1'), keyed('op-2'))).toEqual([])
  })
  it('is not raised once the first is known to have had no effect', () => {
    expect(raise(check, pay('op-1', 'failed'), pay('op-2', 'settled'))).toEqual([])
    expect(raise(check, pay('op-1', 'unknown'), pay('op-1', 'closed'), pay('op-2', 'settled'))).toEqual([])
    expect(raise(check, pay('op-1', 'proposed'), pay('op-2', 'settled'))).toEqual([])
  })
  it('is not raised for what the user asked for separately', () => {
    expect(
      raise(check, pay('op-1', 'settled', { key: 'a' }), again, pay('op-2', 'settled', { key: 'b' })),
    ).toEqual([])
    const wish = (intent: string) => ({ intent })
    expect(
      raise(check, pay('op-1', 'settled', wish('march')), pay('op-2', 'settled', wish('april'))),
    ).toEqual([])
  })
  it('does not take a message of the runtime for a wish of the user', () => {
    const notice = message('user', 'continue', { origin: { kind: 'framework' } })
    expect(raise(check, pay('op-1', 'settled'), notice, pay('op-2', 'settled'))).toHaveLength(1)
  })
  it('is raised for one approval used twice and for one call made twice, whatever was said in between', () => {
    const approved = { approval: 'ap-1' }
    expect(
      raise(
        check,
        pay('op-1', 'settled', { ...approved, key: 'a' }),
        again,
        pay('op-2', 'settled', { ...approved, key: 'b' }),
      ),
    ).toHaveLength(1)
    const call = { call: 'toolu_81' }
    expect(raise(check, pay('op-1', 'settled', call), again, pay('op-2', 'settled', call))).toHaveLength(1)
    expect(
      raise(
        check,
        pay('op-1', 'settled', { call: 'call_0' }),
        again,
        pay('op-2', 'settled', { call: 'call_0' }),
      ),
    ).toEqual([])
  })
  it('is not raised for two calls that the model made side by side', () => {
    const first = pay('op-1', 'sent', { call: 'c1', key: 'a' })
    const second = pay('op-2', 'sent', { call: 'c2', key: 'b' })
    expect(
      raise(check, first, second, pay('op-1', 'settled', { key: 'a' }), pay('op-2', 'settled', { key: 'b' })),
    ).toEqual([])
  })
  it('is not raised for rounds of work, nor where nobody says that it is a write', () => {
    const shell = (op: string) => operation('coder', op, 'shell', { cmd: 'npm test' }, 'settled')
    const edit = operation('coder', 'op-2', 'edit', { file: 'a.ts' }, 'settled')
    expect(raise(check, shell('op-1'), edit, shell('op-3'))).toEqual([])
    expect(raise(check, shell('op-1'), shell('op-3'))).toHaveLength(1)
    const undeclared = (op: string) => pay(op, 'settled', { effect: undefined })
    expect(raise(check, undeclared('op-1'), undeclared('op-2'))).toEqual([])
  })
  it('does not confuse what a call acts on with its key', () => {
    const set = (op: string, key: string) => operation('a', op, 'set_flag', { key, value: true }, 'settled')
    expect(raise(check, set('op-1', 'dark'), set('op-2', 'beta'))).toEqual([])
  })
})

describe('retry-new-key', () => {
  const check = 'retry-new-key'
  it.each(['sent', 'unknown', 'timeout'])('is raised when the first was %s', (state) => {
    expect(raise(check, pay('op-1', state, { key: 'a' }), pay('op-2', 'sent', { key: 'b' }))).toHaveLength(1)
  })
  it('is raised under the same op id, and by the agent that took over', () => {
    expect(
      raise(
        check,
        pay('op-1', 'unknown', { key: 'a', attempt: 1 }),
        pay('op-1', 'sent', { key: 'b', attempt: 2 }),
      ),
    ).toHaveLength(1)
    const next = pay('op-2', 'settled', { key: 'b' }, 'cashier')
    expect(
      raise(check, pay('op-1', 'sent', { key: 'a' }), ...crossed('h1', 'clerk', 'cashier'), next),
    ).toHaveLength(1)
  })
  it('is raised although the user asked to try again, as long as nobody knows the outcome', () => {
    const retry = message('user', 'try again')
    expect(
      raise(check, pay('op-1', 'unknown', { key: 'a' }), retry, pay('op-2', 'sent', { key: 'b' })),
    ).toHaveLength(1)
  })
  it('is not raised once the first is settled, refused or closed, nor under the same key', () => {
    for (const state of ['settled', 'failed', 'closed']) {
      const first = [pay('op-1', 'sent', { key: 'a' }), pay('op-1', state, { key: 'a' })]
      expect(raise(check, ...first, pay('op-2', 'sent', { key: 'b' }))).toEqual([])
    }
    expect(raise(check, pay('op-1', 'unknown', { key: 'a' }), pay('op-2', 'sent', { key: 'a' }))).toEqual([])
    const other = operation('clerk', 'op-2', 'pay_vendor', { vendor: 13, eur: 90 }, 'sent', { key: 'b' })
    expect(raise(check, pay('op-1', 'unknown', { key: 'a' }), other)).toEqual([])
  })
})

describe('write-without-key', () => {
  const check = 'write-without-key'
  it('is raised for a write that ended unknown or was repeated', () => {
    expect(raise(check, pay('op-1', 'unknown'))).toHaveLength(1)
    expect(
      raise(check, pay('op-1', 'settled', { call: 'c1' }), pay('op-2', 'settled', { call: 'c1' })),
    ).toHaveLength(1)
  })
  it('is not raised for a write that was answered, has a key or another request id, or is a read', () => {
    expect(raise(check, pay('op-1', 'settled'))).toEqual([])
    expect(raise(check, pay('op-1', 'unknown'), pay('op-1', 'settled'))).toEqual([])
    expect(raise(check, pay('op-1', 'unknown', { key: 'a' }))).toEqual([])
    expect(raise(check, pay('op-1', 'unknown', { message_id: 'm-1' }))).toEqual([])
    expect(raise(check, read('clerk', 'op-1', 'get_vendor', PAY, 'unknown'))).toEqual([])
    expect(raise(check, pay('op-1', 'unknown', { effect: undefined }))).toEqual([])
  })
})

describe('redundant-delegation', () => {
  const check = 'redundant-delegation'
  const give = (id: string, fields: object = {}, to = 'finance') =>
    crossed(id, 'lead', to, [item.user('b', 'sum up the quarter')], {
      mode: 'delegate',
      brief: 'sum up',
      ...fields,
    })
  const answer = (id: string, from = 'finance') =>
    crossed(id, from, 'lead', [item.agent('m', from, 'Q: +4 %')], { mode: 'return' })

  it('is raised after the answer and while it is worked on', () => {
    expect(raise(check, ...give('h1'), ...answer('h2'), ...give('h3'))).toHaveLength(1)
    expect(raise(check, ...give('h1'), ...give('h2'))).toHaveLength(1)
    expect(
      raise(
        check,
        ...give('h1', { mode: 'transfer' }),
        ...answer('h2'),
        ...give('h3', { mode: 'transfer' }),
        ...answer('h4'),
      ),
    ).toHaveLength(1)
  })
  it('goes by reason and items where there is no brief', () => {
    const plain = { brief: undefined, reason: 'sum up' }
    expect(raise(check, ...give('h1', plain), ...answer('h2'), ...give('h3', plain))).toHaveLength(1)
    const more = crossed('h3', 'lead', 'finance', [item.user('b', 'now by region')], {
      mode: 'delegate',
      reason: 'sum up',
    })
    expect(raise(check, ...give('h1', plain), ...answer('h2'), ...more)).toEqual([])
  })
  it.each<[string, Entry[]]>([
    ['the user spoke', [message('user', 'do it again with the new numbers')]],
    [
      'another agent was asked',
      crossed('h9', 'lead', 'tester', [], { mode: 'delegate', brief: 'run the tests' }),
    ],
    ['the sender changed something', [operation('lead', 'op-1', 'edit', { file: 'a' }, 'settled')]],
    ['the process crashed', [{ kind: 'process.crash', agent: 'lead' }]],
  ])('is not raised when %s in between', (_, between) => {
    expect(raise(check, ...give('h1'), ...answer('h2'), ...between, ...give('h3'))).toEqual([])
  })
  it('is raised after a crash of the sender alone, if the first is seen at work afterwards', () => {
    const [toFirst, atFirst] = give('h1')
    const [toSecond, atSecond] = give('h2')
    const restarted = (...after: Entry[]) =>
      raise(
        check,
        { ...toFirst!, writer: 'main' },
        { ...atFirst!, writer: 'box-1' },
        { kind: 'process.crash', agent: 'lead', writer: 'main' },
        { ...toSecond!, writer: 'main-2' },
        { ...atSecond!, writer: 'box-2' },
        ...after,
      )
    const works = read('finance', 'op-1', 'load', { q: 1 }, 'settled', { writer: 'box-1' })
    expect(restarted(works)).toHaveLength(1)
    expect(restarted()).toEqual([])
    expect(restarted({ ...works, writer: 'box-2' })).toEqual([])
  })
  it('is raised after the sender has resumed itself: that asks no other agent', () => {
    const resumed = crossed('h9', 'lead', 'lead', [item.user('b', 'the quarter')], { mode: 'resume' })
    expect(raise(check, ...give('h1'), ...answer('h2'), ...resumed, ...give('h3'))).toHaveLength(1)
  })
  it('is not raised for a retry, another brief or another agent', () => {
    const failed: Entry = { kind: 'handoff.failed', handoff: 'h1', outcome: 'refused' }
    expect(raise(check, ...give('h1'), failed, ...give('h2'))).toEqual([])
    expect(
      raise(
        check,
        sent('h1', 'lead', 'finance', { mode: 'delegate', brief: 'x' }),
        ...give('h1', { brief: 'x', attempt: 2 }),
      ),
    ).toEqual([])
    const verdict: Entry = { kind: 'handoff.verdict', handoff: 'h1', by: 'lead', verdict: 'request_changes' }
    expect(raise(check, ...give('h1'), ...answer('h2'), verdict, ...give('h3'))).toEqual([])
    expect(raise(check, ...give('h1'), ...answer('h2'), ...give('h3', { brief: 'by region' }))).toEqual([])
    expect(raise(check, ...give('h1'), ...give('h2', {}, 'audit'))).toEqual([])
  })
  it('is not raised for a second delivery of one handoff', () => {
    expect(raise(check, ...give('h1'), received('h1', 'finance'))).toEqual([])
  })
})
