import { describe, expect, it } from 'vitest'
import { constraintHash } from '../../../model/hash.ts'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  operation,
  received,
  sent,
  start,
} from '../run-builder.ts'

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length
const TEXT = 'Rechnung erst nach der Reservierung, höchstens 500 Euro'
const rule = (fields: object = {}): Entry => ({ kind: 'constraint', id: 'k1', text: TEXT, ...fields })
const user = item.user('u1', 'Bitte Auftrag 7 abrechnen.')
const hand = (mode: string, after: object = {}, before: object = {}) => [
  sent('h1', 'orders', 'billing', { mode, items_before: [user], ...before }),
  received('h1', 'billing', { items: [user], ...after }),
]
const work = operation('orders', 'op-0', 'look', {}, 'settled')

describe('constraint-dropped', () => {
  it.each(['transfer', 'delegate', 'resume', 'escalate'])('is raised when no trace crosses (%s)', (mode) => {
    const [finding] = findingsOf(judge(start(), rule(), work, ...hand(mode), end()), 'constraint-dropped')
    expect(finding).toMatchObject({ handoff: 'h1', attribution: 'dropped at the handoff' })
    expect(finding?.message).toContain('dropped at the handoff')
  })
  it.each([
    ['the record', { record: { constraints: [{ id: 'k1', text: TEXT }] } }],
    ['the record, as a string', { record: { constraints: [TEXT] } }],
    ['the record, as a hash', { record: { constraints: [{ hash: constraintHash({ text: TEXT }) }] } }],
    ['the record, as an id', { record: { constraints: ['k1'] } }],
    ['an item for it', { items: [{ type: 'constraint', constraint: 'k1', content: TEXT }] }],
    ['another item that names it', { items: [{ type: 'note', constraint: 'k1', content: '' }] }],
    [
      'the words, over two lines',
      { items: [item.user('u2', `Merke: ${TEXT.replace(' nach ', '\nnach ')}.`)] },
    ],
    ['the instructions', { instructions: `Du bist Billing. ${TEXT.toUpperCase()}` }],
  ])('is silent when it crossed in %s', (_, after) => {
    const analysis = judge(start(), rule(), work, ...hand('transfer', after), end())
    expect(findingsOf(analysis, 'constraint-dropped')).toEqual([])
    expect(findingsOf(analysis, 'constraint-reworded')).toEqual([])
  })
  it('is silent for revoked rules, rules of others, and what the receiver has already', () => {
    expect(
      count('constraint-dropped', start(), rule(), rule({ state: 'revoked' }), ...hand('transfer'), end()),
    ).toBe(0)
    expect(
      count('constraint-dropped', start(), rule({ scope: { agent: 'orders' } }), ...hand('transfer'), end()),
    ).toBe(0)
    expect(count('constraint-dropped', start(), rule({ scope: 'orders' }), ...hand('transfer'), end())).toBe(
      0,
    )
    expect(count('constraint-dropped', start(), rule({ agent: 'stock' }), ...hand('transfer'), end())).toBe(0)
    const there = operation('billing', 'op-9', 'look', {}, 'settled')
    expect(count('constraint-dropped', start(), there, rule(), ...hand('transfer'), end())).toBe(0)
    for (const mode of ['return', 'notify'])
      expect(count('constraint-dropped', start(), rule(), ...hand(mode), end())).toBe(0)
    expect(count('constraint-dropped', start(), ...hand('transfer'), rule(), end())).toBe(0)
  })
  it('is raised at the hop that loses it, once, and again when another way loses it', () => {
    const carried = hand('transfer', { record: { constraints: ['k1'] } })
    const chain = [
      ...carried,
      ...crossed('h2', 'billing', 'dunning', [user]),
      ...crossed('h3', 'dunning', 'closing', [user]),
    ]
    const lost = findingsOf(judge(start(), rule({ agent: 'orders' }), ...chain, end()), 'constraint-dropped')
    expect(lost.map(({ handoff }) => handoff)).toEqual(['h2'])
    const twice = [...hand('delegate'), ...crossed('h2', 'orders', 'stock', [user], { mode: 'delegate' })]
    expect(count('constraint-dropped', start(), rule(), work, ...twice, end())).toBe(2)
  })
  it('is raised when a helper keeps to itself what it alone was told', () => {
    const told = rule({ agent: 'billing' })
    const back = crossed('h2', 'billing', 'orders', [item.agent('r', 'billing', 'fertig')], {
      mode: 'return',
    })
    expect(count('constraint-dropped', start(), work, ...hand('delegate'), told, ...back, end())).toBe(1)
  })
  it('cannot judge a payload without items', () => {
    const blind = [
      sent('h1', 'orders', 'billing'),
      { kind: 'handoff.received', handoff: 'h1', by: 'billing' },
    ]
    const analysis = judge(start(), rule(), ...blind, end())
    expect(findingsOf(analysis, 'constraint-dropped')).toEqual([])
    expect(analysis.notJudged).toContainEqual(
      expect.objectContaining({ check: 'constraint-dropped', handoff: 'h1' }),
    )
  })
})

describe('constraint-reworded', () => {
  const reworded = (text: string) =>
    judge(start(), rule(), ...hand('transfer', { items: [item.user('u2', text)] }), end())
  it('is raised with the similarity, and louder when a number is gone', () => {
    const [same] = findingsOf(
      reworded('Die Rechnung kommt erst nach der Reservierung, höchstens 500 Euro bitte'),
      'constraint-reworded',
    )
    expect(same).toMatchObject({ severity: 'info' })
    expect(same?.message).toMatch(/similarity 0\.\d\d/)
    const [other] = findingsOf(
      reworded('Rechnung erst nach der Reservierung, höchstens 900 Euro'),
      'constraint-reworded',
    )
    expect(other).toMatchObject({ severity: 'warning' })
    expect(other?.message).toContain('500')
  })
  it('is not raised for other rules, nor beside constraint-dropped', () => {
    const analysis = reworded('Bitte immer freundlich bleiben.')
    expect(findingsOf(analysis, 'constraint-reworded')).toEqual([])
    expect(findingsOf(analysis, 'constraint-dropped')).toHaveLength(1)
  })
})

describe('constraint-violated', () => {
  const ORDER = { order: ['reserve', 'invoice'] }
  const act = (tool: string, state = 'settled', args: object = {}, agent = 'billing') =>
    operation(agent, `op-${tool}`, tool, args, state, { key: `k-${tool}` })
  const held = { record: { constraints: ['k1'] } }
  const violation = (...entries: Entry[]) =>
    findingsOf(judge(start(), ...entries, end()), 'constraint-violated')
  it.each([
    ['carried, not followed', rule({ check: ORDER, agent: 'orders' }), held],
    ['dropped at the handoff', rule({ check: ORDER, agent: 'orders' }), {}],
    ['not in state', rule({ check: ORDER, agent: 'stock' }), {}],
  ])('says whose doing it is: %s', (attribution, constraint, after) => {
    const [finding, ...rest] = violation(
      constraint,
      act('reserve', 'unknown', {}, 'orders'),
      ...hand('transfer', after),
      act('invoice'),
    )
    expect(rest).toEqual([])
    expect(finding).toMatchObject({ attribution, severity: 'error' })
    expect(finding?.message).toContain(`(${attribution})`)
  })
  it('names the hop that lost it, along a chain', () => {
    const chain = [
      ...hand('transfer', held),
      ...crossed('h2', 'billing', 'dunning', [user]),
      ...crossed('h3', 'dunning', 'closing', [user]),
    ]
    const [finding] = violation(
      rule({ check: ORDER, agent: 'orders' }),
      ...chain,
      act('invoice', 'sent', {}, 'closing'),
    )
    expect(finding).toMatchObject({ handoff: 'h2', attribution: 'dropped at the handoff' })
    expect(finding?.message).toContain('dunning could not pass it on to closing')
  })
  it('is raised within one agent, without any handoff', () => {
    const [finding] = violation(rule({ check: ORDER }), act('invoice', 'sent', {}, 'orders'))
    expect(finding).toMatchObject({ attribution: 'carried, not followed', agents: ['orders'] })
    expect(finding?.handoff).toBeUndefined()
  })
  it('is not in state when it was made after the task had left', () => {
    const late = rule({ check: ORDER, agent: 'orders' })
    expect(violation(...hand('delegate'), late, act('invoice'))).toMatchObject([
      { attribution: 'not in state' },
    ])
  })
  it.each([
    ['order, first never done', ORDER, [act('reserve', 'failed'), act('invoice')]],
    ['order, first in doubt', ORDER, [act('reserve', 'sent'), act('invoice')]],
    ['forbid a tool', { forbid: 'invoice' }, [act('invoice')]],
    [
      'forbid arguments',
      { forbid: { tool: 'pay', args: { env: 'prod' } } },
      [act('pay', 'sent', { env: 'prod', n: 1 })],
    ],
    ['forbid by pattern', { forbid: { tool: 'shop.*' } }, [act('shop.delete')]],
    ['forbid every write', { forbid: { effect: 'write' } }, [act('save')]],
    ['limit', { limit: { tool: 'pay', arg: 'amount', max: 500 } }, [act('pay', 'settled', { amount: 501 })]],
    [
      'limit, text and path',
      { limit: { tool: 'pay', arg: 'sum.value', max: 500 } },
      [act('pay', 'settled', { sum: { value: '900' } })],
    ],
    [
      'limit, with separators and a currency',
      { limit: { tool: 'pay', arg: 'amount', max: 500 } },
      [act('pay', 'settled', { amount: '1.200,00 EUR' })],
    ],
    [
      'limit below',
      { limit: { tool: 'pay', arg: 'amount', min: 5 } },
      [act('pay', 'settled', { amount: 1 })],
    ],
    ['approval never given', { require_approval: { tool: 'pay' } }, [act('pay')]],
    ['a check as JSON text', JSON.stringify({ forbid: { tool: 'pay' } }), [act('pay')]],
    ['one of two forms', { forbid: { tool: 'pay' }, order: ['a', 'b'] }, [act('pay')]],
  ])('is raised for %s', (_, check, acts) => {
    expect(violation(rule({ check }), ...acts)).toHaveLength(1)
  })
  it('reads arguments that are JSON text', () => {
    const call = operation('billing', 'op-1', 'pay', JSON.stringify({ amount: 900 }), 'sent')
    expect(
      violation(rule({ check: { limit: { tool: 'pay', arg: 'amount', max: 500 } } }), call),
    ).toHaveLength(1)
  })
  const yes = [
    { kind: 'approval', id: 'ap', state: 'pending', for: 'op-pay' },
    { kind: 'approval', id: 'ap', state: 'approved' },
  ]
  it.each([
    ['order kept', ORDER, [act('reserve'), act('invoice')]],
    ['the second refused', ORDER, [act('invoice', 'failed')]],
    [
      'other arguments',
      { forbid: { tool: 'pay', args: { env: 'prod' } } },
      [act('pay', 'sent', { env: 'test' })],
    ],
    [
      'within the limit',
      { limit: { tool: 'pay', arg: 'amount', max: 500 } },
      [act('pay', 'settled', { amount: 500 })],
    ],
    [
      'a number that may be within',
      { limit: { tool: 'pay', arg: 'amount', max: 500 } },
      [act('pay', 'settled', { amount: '1,200' })],
    ],
    ['no such argument', { limit: { tool: 'pay', arg: 'amount', max: 500 } }, [act('pay')]],
    ['an approval given', { require_approval: { tool: 'pay' } }, [...yes, act('pay')]],
    ['a form nobody knows', { prefer: 'tea' }, [act('pay')]],
    ['no check', undefined, [act('invoice')]],
  ])('is silent for %s', (_, check, acts) => {
    expect(violation(rule({ check }), ...acts)).toEqual([])
  })
  it('is silent before the rule, after its end, and for agents that it does not bind', () => {
    const check = { forbid: 'invoice' }
    expect(violation(act('invoice'), rule({ check }))).toEqual([])
    expect(violation(rule({ check }), rule({ check, state: 'revoked' }), act('invoice'))).toEqual([])
    expect(violation(rule({ check, scope: { agent: 'orders' } }), act('invoice'))).toEqual([])
  })
})

describe('what a rule binds, and from when', () => {
  it('reads a scope that calls its agent an agent', () => {
    const dropped = (scope: string) =>
      count('constraint-dropped', start(), rule({ scope }), work, ...hand('transfer'), end())
    for (const scope of ['agent:orders', 'agent: orders', 'agents=orders, stock', 'agent/orders'])
      expect([scope, dropped(scope)]).toEqual([scope, 0])
    for (const scope of ['agent:billing', 'agents: orders, billing', 'tool:invoice', 'run'])
      expect([scope, dropped(scope)]).toEqual([scope, 1])
  })
  it('knows a rule that is in force again as one that whoever takes part was told', () => {
    const twice = (...last: Entry[]) =>
      judge(
        start(),
        rule(),
        rule({ state: 'revoked' }),
        ...crossed('h1', 'orders', 'billing', [user]),
        ...last,
        ...crossed('h2', 'billing', 'post', [user]),
        end(),
      )
    expect(findingsOf(twice(rule()), 'constraint-dropped').map(({ handoff }) => handoff)).toEqual(['h2'])
    expect(findingsOf(twice(), 'constraint-dropped')).toEqual([])
  })
  it('compares what is given of an argument that is made of fields', () => {
    const broken = (args: unknown, call: unknown) =>
      count(
        'constraint-violated',
        rule({ check: { forbid: { tool: 'ship', args } } }),
        operation('orders', 'op-1', 'ship', call, 'settled'),
        end(),
      )
    const air = { lot: 4, service: { class: 'air', speed: 'next day' } }
    expect(broken({ service: { class: 'air' } }, air)).toBe(1)
    expect(broken({ service: { class: 'rail' } }, air)).toBe(0)
    expect(broken({ service: { class: 'air', insured: true } }, air)).toBe(0)
    expect(broken({ service: {} }, air)).toBe(0)
    expect(broken({ service: {} }, { service: {} })).toBe(1)
  })
})
