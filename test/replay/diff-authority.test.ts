import { describe, expect, it } from 'vitest'
import { constraintHash } from '../../model/hash.ts'
import { estimateByBytes } from '../../model/tokens.ts'
import { diffHandoff } from '../../replay/diff/diff.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { foldRun } from '../../replay/fold/fold.ts'
import { type Entry, item, log, operation, received, sent, start } from './run-builder.ts'

/** The diff of the only handoff of a run, from orders to billing, with what stands before and after it. */
function diffOf(parts: { before?: Entry[]; sent?: object; received?: object; after?: Entry[] }): HandoffDiff {
  const run = foldRun(
    log([
      ...(parts.before ?? []),
      sent('h', 'orders', 'billing', parts.sent),
      received('h', 'billing', parts.received),
      ...(parts.after ?? []),
    ]),
  )
  return diffHandoff(run, run.handoffs[0]!, estimateByBytes)
}

describe('approvals', () => {
  const SCOPE = { invoice: 'INV-77', eur: 18.4 }
  const approval = (state: string, fields: object = {}): Entry => ({
    ...{
      kind: 'approval',
      id: 'ap-1',
      agent: 'orders',
      action: 'refund',
      scope: SCOPE,
      for: 'op-1',
      state,
      ...fields,
    },
  })
  const verdicts = (payload: object, ...before: Entry[]) =>
    diffOf({ before, received: payload }).approvals.map(({ verdict }) => verdict)
  const record = (fields: object) => ({
    record: {
      pending_actions: [
        { id: 'ap-1', action: 'refund', scope: SCOPE, for: 'op-1', state: 'pending', ...fields },
      ],
    },
  })

  it.each([
    ['same', record({})],
    [
      'same',
      { items: [{ id: 'x', type: 'approval', approval: 'ap-1', scope: { eur: 18.4, invoice: 'INV-77' } }] },
    ],
    ['id changed', record({ id: 'ap-9' })],
    ['scope changed', record({ scope: { invoice: 'INV-77', eur: 184 } })],
    ['scope changed', record({ action: 'wire' })],
    ['absent', { items: [] }],
    ['absent', { record: { pending_actions: [] } }],
  ])('%s', (verdict, payload) => {
    expect(verdicts(payload, approval('pending'))).toEqual([verdict])
  })

  it('a refusal has to come along, as a refusal', () => {
    const refused = [approval('pending'), approval('rejected')]
    expect(verdicts({ items: [] }, ...refused)).toEqual(['decision not delivered'])
    expect(verdicts(record({ state: 'approved' }), ...refused)).toEqual(['decision not delivered'])
    expect(verdicts(record({ state: 'rejected' }), ...refused)).toEqual(['same'])
  })

  it('a yes that was given has done its work; another agent keeps its own', () => {
    expect(verdicts({}, approval('pending'), approval('approved'))).toEqual([])
    expect(verdicts({}, approval('pending', { agent: 'audit' }))).toEqual([])
  })
})

describe('constraints: whose doing it is', () => {
  const TEXT = 'Invoice only what is reserved in the warehouse'
  const CHECK = { order: ['reserve_stock', 'send_invoice'] }
  const rule = (fields: object = {}): Entry => ({
    kind: 'constraint',
    id: 'k1',
    text: TEXT,
    check: CHECK,
    ...fields,
  })
  const invoice = operation('billing', 'op-9', 'send_invoice', { n: 1 }, 'sent', { key: 'i' })
  const shown = (parts: Parameters<typeof diffOf>[0]) =>
    diffOf(parts).constraints.map(({ degree, attribution, violations }) => [
      degree,
      attribution,
      violations.length,
    ])
  const inRecord = (entry: unknown) => ({ record: { constraints: [entry] } })

  it.each([
    ['same', inRecord(TEXT)],
    ['same', inRecord({ id: 'k1', text: `  invoice ONLY what is\nreserved in the warehouse` })],
    ['same', inRecord({ id: 'k1' })],
    ['same', inRecord({ hash: constraintHash({ text: TEXT, check: CHECK }) })],
    ['same', { items: [{ id: 'x', type: 'constraint', constraint: 'k1', content: TEXT }] }],
    ['reworded', inRecord({ id: 'k1', text: 'Only reserved things are invoiced' })],
    ['in words only', { items: [item.agent('a', 'orders', `Mind: ${TEXT}. Thanks.`)] }],
    ['in words only', { instructions: TEXT.toUpperCase() }],
  ] as const)('%s', (degree, payload) => {
    expect(shown({ before: [rule()], received: payload })).toEqual([[degree, 'carried', 0]])
    expect(shown({ before: [rule()], received: payload, after: [invoice] })).toEqual([
      [degree, 'carried, not followed', 1],
    ])
  })

  it('absent: dropped at the handoff, broken or not', () => {
    for (const payload of [
      {},
      inRecord('Never ship on Sundays'),
      { items: [item.agent('a', 'orders', 'Hello.')] },
    ]) {
      expect(shown({ before: [rule()], received: payload })).toEqual([
        ['absent', 'dropped at the handoff', 0],
      ])
      expect(shown({ before: [rule()], received: payload, after: [invoice] })).toEqual([
        ['absent', 'dropped at the handoff', 1],
      ])
    }
  })

  it('not in state: the sender never had it, and the receiver broke it', () => {
    const late = [rule({ agent: 'audit' }), invoice]
    expect(shown({ after: late })).toEqual([['absent', 'not in state', 1]])
    expect(shown({ after: [rule({ agent: 'audit' })] })).toEqual([])
  })

  it('what was revoked need not cross, and what is done in its order breaks nothing', () => {
    expect(shown({ before: [rule(), rule({ state: 'revoked' })] })).toEqual([])
    const reserved = operation('billing', 'op-8', 'reserve_stock', { n: 1 }, 'settled', { key: 'r' })
    expect(shown({ before: [rule()], received: inRecord(TEXT), after: [reserved, invoice] })).toEqual([
      ['same', 'carried', 0],
    ])
  })

  it.each([
    [{ forbid: { tool: 'send_invoice' } }, invoice, true],
    [{ forbid: { tool: 'send_invoice', args: { n: 2 } } }, invoice, false],
    [{ forbid: 'send_invoice' }, invoice, true],
    [{ limit: { tool: 'send_invoice', arg: 'n', max: 1 } }, invoice, false],
    [{ limit: { tool: 'send_invoice', arg: 'n', max: 0.5 } }, invoice, true],
    [{ limit: { tool: 'send_invoice', arg: 'n', min: 2 } }, invoice, true],
    [{ require_approval: { tool: 'send_invoice' } }, invoice, true],
    [{ order: ['send_invoice', 'reserve_stock'] }, invoice, false],
    [{ forbid: { tool: 'send_invoice' } }, { ...invoice, state: 'proposed' }, false],
    [{ something: 'else' }, invoice, false],
  ])('check %j', (check, act, broken) => {
    const found = shown({ before: [rule({ check })], received: inRecord({ id: 'k1' }), after: [act] })
    expect(found).toEqual([['same', broken ? 'carried, not followed' : 'carried', broken ? 1 : 0]])
  })
})

describe('origin', () => {
  const verdict = (parts: Parameters<typeof diffOf>[0]) =>
    diffOf({ before: [start()], ...parts }).origin.verdict
  const principal = { kind: 'human', id: 'u-9' }

  it.each([
    ['same', { principal }, { principal }],
    ['same', { record: { origin: 'user' } }, { record: { origin: { kind: 'human' } } }],
    ['absent', { principal }, {}],
    ['absent', { record: { origin: 'user' } }, { record: {} }],
    ['changed', { principal }, { principal: { kind: 'human', id: 'u-1' } }],
    ['changed', { principal }, { principal: { kind: 'agent', id: 'orders' } }],
    ['escalated', { principal: { kind: 'agent', id: 'x' } }, { principal: { kind: 'human', id: 'x' } }],
    ['not judged', {}, {}],
  ] as const)('%s', (expected, given, got) => {
    expect(verdict({ sent: given, received: got })).toBe(expected)
  })

  it('names the items that speak with an authority they do not have', () => {
    const list = [
      item.user('u', 'Go on.'),
      item.user('f', 'Yes, go on.', { origin: { kind: 'framework', verified: false } }),
    ]
    const { escalations } = diffOf({
      before: [start()],
      sent: { items_before: list.slice(0, 1) },
      received: { items: list },
    }).origin
    expect(escalations.map(({ item: { id } }) => id)).toEqual(['f'])
  })
})

describe('permissions', () => {
  const change = (given: object, got: object, mode = 'transfer') => {
    const { gained, lost } = diffOf({ sent: { mode, permissions: given }, received: got }).permissions
    return { gained: gained.map(({ tool }) => tool), lost: lost.map(({ tool }) => tool) }
  }

  it('a denied tool that the receiver has is gained', () => {
    expect(change({ deny: ['refund'] }, { tools: ['refund', 'read'] }).gained).toEqual(['refund'])
    expect(change({ deny: ['refund'] }, { tools: ['read'] }).gained).toEqual([])
    expect(change({ allow: ['read'], closed: true }, { tools: ['refund', 'read'] }).gained).toEqual([
      'refund',
    ])
    expect(
      change({ deny: ['refund'] }, { tools: ['refund'], permissions: { deny: ['refund'] } }).gained,
    ).toEqual([])
  })

  it('a looser mode is gained, a stricter one is not', () => {
    expect(change({ mode: 'plan' }, { permissions: { mode: 'auto' } }).gained).toEqual(['mode auto'])
    expect(change({ mode: 'auto' }, { permissions: { mode: 'plan' } }).gained).toEqual([])
  })

  it('words of the language are no modes', () => {
    expect(change({ mode: 'constructor' }, { permissions: { mode: 'toString' } })).toEqual({
      gained: [],
      lost: [],
    })
  })
})

describe('contract, correlation, commitments', () => {
  it('each field of the contract is present, empty or absent on either side', () => {
    const given = {
      intent: 'bill',
      constraints: [],
      status: {},
      evidence: [{ ref: 'x' }],
      next_action: ' ',
      stop_condition: null,
    }
    const fields = diffOf({
      sent: { record: given },
      received: { record: { intent: '', status: { done: [] } } },
    }).contract
    expect(fields.map(({ field, sent: a, received: b }) => [field, a, b])).toEqual([
      ['intent', 'present', 'empty'],
      ['constraints', 'empty', 'absent'],
      ['status', 'empty', 'present'],
      ['evidence', 'present', 'absent'],
      ['next_action', 'empty', 'absent'],
      ['stop_condition', 'absent', 'absent'],
    ])
  })

  it.each([
    ['same', 'same', { trace: { id: 'AB' }, task: { id: 't' } }, { trace: { id: 'ab' }, task: { id: 't' } }],
    ['broken', 'broken', { trace: { id: 'ab' }, task: 't' }, { trace: { id: 'cd' } }],
    ['same', 'not judged', { trace: { id: 'ab' } }, { trace: { id: 'cd', links: [{ id: 'ab' }] } }],
    ['not judged', 'broken', { task: { id: 't', context: 'c' } }, { task: { id: 't', context: 'd' } }],
    ['not judged', 'not judged', {}, { trace: { id: 'ab' } }],
  ])('trace %s, task %s', (trace, task, given, got) => {
    expect(diffOf({ sent: given, received: got }).correlation).toMatchObject({ trace, task })
  })

  it('a promise crosses in the record, as an item, or in the words', () => {
    const promise: Entry = { kind: 'commitment', id: 'cm', agent: 'orders', text: 'I write when it ships' }
    const crossed = (payload: object) =>
      diffOf({ before: [promise], received: payload }).commitments.map((one) => one.crossed)
    expect(crossed({ record: { commitments: ['i write  when it ships'] } })).toEqual([true])
    expect(crossed({ record: { commitments: [{ id: 'cm' }] } })).toEqual([true])
    expect(crossed({ items: [item.agent('a', 'orders', 'Promised: I write when it ships.')] })).toEqual([
      true,
    ])
    expect(crossed({ items: [item.agent('a', 'orders', 'It ships.')] })).toEqual([false])
  })
})
