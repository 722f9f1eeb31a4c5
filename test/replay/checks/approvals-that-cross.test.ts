import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  operation,
  raised,
  start,
} from '../run-builder.ts'
import { approval, asked, call, hand, refund, user } from './refund-story.ts'

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length

describe('approval-pending-lost', () => {
  it.each(['transfer', 'return', 'resume', 'escalate'])(
    'is raised when control passes without it (%s)',
    (mode) => {
      const [finding] = findingsOf(judge(...asked, ...hand(mode), end()), 'approval-pending-lost')
      expect(finding).toMatchObject({ handoff: 'h1', subject: { kind: 'approval', id: 'ap-1' } })
      expect(finding?.message).toContain('refund_fee')
    },
  )
  it.each([
    ['the record', { record: { pending_actions: [{ id: 'ap-1', action: 'refund_fee', scope: refund }] } }],
    ['the record, as an id', { record: { pending_actions: ['ap-1'] } }],
    ['another field of the record', { record: { open_operations: [{ op: 'op-1', approval: 'ap-1' }] } }],
    [
      'an item',
      { items: [user, { id: 'i2', type: 'approval', approval: 'ap-1', for: 'op-1', state: 'pending' }] },
    ],
    [
      'an item without its id',
      { items: [{ id: 'i2', type: 'approval_request', for: 'op-1', state: 'pending' }] },
    ],
    [
      'the call that waits',
      { items: [user, item.call('i3', 'c-op-1', 'refund_fee', refund, { approval: 'ap-1' })] },
    ],
    ['the words', { items: [user, item.agent('a1', 'desk', 'The refund waits for a yes (ap-1).')] }],
    ['a checkpoint', { checkpoint: { interrupts: ['ap-1'] } }],
    [
      'a part of an AI SDK message',
      {
        items: [
          user,
          {
            role: 'assistant',
            content: [{ type: 'tool-approval-request', approvalId: 'ap-1', toolCallId: 'c-op-1' }],
          },
        ],
      },
    ],
    [
      'the call of an AI SDK message for the screen',
      {
        items: [
          user,
          {
            role: 'assistant',
            parts: [
              {
                type: 'tool-refund_fee',
                toolCallId: 'c-op-1',
                state: 'approval-requested',
                input: refund,
                approval: { id: 'ap-1' },
              },
            ],
          },
        ],
      },
    ],
    [
      'a content of a Microsoft Agent Framework message',
      {
        items: [
          user,
          {
            role: 'assistant',
            contents: [
              {
                type: 'function_approval_request',
                id: 'ap-1',
                function_call: {
                  type: 'function_call',
                  call_id: 'c-op-1',
                  name: 'refund_fee',
                  arguments: '{}',
                },
              },
            ],
          },
        ],
      },
    ],
  ])('is silent when it crossed in %s', (_, after) => {
    expect(
      raised(judge(...asked, ...hand('transfer', after), end())).filter((id) => id.startsWith('approval')),
    ).toEqual([])
  })
  it.each([
    ['AI SDK', 'content', { type: 'tool-approval-response', approvalId: 'ap-1' }],
    ['Microsoft Agent Framework', 'contents', { type: 'function_approval_response', id: 'ap-1' }],
  ])('reads the answer as %s writes it', (_, list, response) => {
    const back = (approved: boolean) =>
      hand('return', { items: [user, { role: 'tool', [list]: [{ ...response, approved }] }] })
    const told = (approved: boolean) =>
      count('approval-decision-lost', ...asked, approval('rejected', { by: 'u-9' }), ...back(approved), end())
    expect(told(false)).toBe(0)
    expect(told(true)).toBe(1)
  })
  it('is silent once decided, and where whoever asked keeps waiting', () => {
    expect(
      count(
        'approval-pending-lost',
        ...asked,
        approval('approved', { by: 'u-9' }),
        call('settled'),
        ...hand('transfer'),
        end(),
      ),
    ).toBe(0)
    for (const mode of ['delegate', 'notify'])
      expect(count('approval-pending-lost', ...asked, ...hand(mode), end())).toBe(0)
    const waits: Entry[] = [start(), { ...approval('pending'), agent: 'disputes' }]
    expect(count('approval-pending-lost', ...waits, ...hand('notify'), approval('approved'), end())).toBe(0)
  })
  it('is raised when the receiver runs what it had asked for itself, undecided', () => {
    const waits: Entry[] = [start(), { ...approval('pending'), agent: 'disputes', for: undefined }]
    const analysis = judge(...waits, ...hand('notify'), call('settled', {}, 'disputes', 'op-9'), end())
    expect(raised(analysis)).toEqual(
      expect.arrayContaining(['approval-pending-lost', 'write-without-approval']),
    )
  })
  it('follows it along a chain, and reports it once', () => {
    const carried = {
      record: { pending_actions: [{ id: 'ap-1', action: 'refund_fee', scope: refund, for: 'op-1' }] },
    }
    const chain = [
      ...hand('transfer', carried),
      ...crossed('h2', 'disputes', 'ledger', [user]),
      ...crossed('h3', 'ledger', 'closing', [user]),
    ]
    const found = findingsOf(judge(...asked, ...chain, end()), 'approval-pending-lost')
    expect(found.map(({ handoff }) => handoff)).toEqual(['h2'])
  })
  it('knows one that stands only in the sender’s record or items', () => {
    const stated = { record: { pending_actions: [{ id: 'ap-7', action: 'wire', scope: { to: 'acc-3' } }] } }
    expect(count('approval-pending-lost', start(), ...hand('transfer', {}, stated), end())).toBe(1)
    const shown = {
      items_before: [user, { id: 'x', type: 'approval', approval: 'ap-7', state: 'requested' }],
    }
    expect(count('approval-pending-lost', start(), ...hand('transfer', {}, shown), end())).toBe(1)
    expect(count('approval-pending-lost', start(), ...hand('transfer', stated, stated), end())).toBe(0)
  })
})

describe('approval-id-changed and approval-scope-changed', () => {
  const pending = (fields: object) =>
    hand('transfer', { record: { pending_actions: [{ id: 'ap-1', for: 'op-1', ...fields }] } })
  it('are raised when it crosses under another id or scope', () => {
    expect(count('approval-id-changed', ...asked, ...pending({ id: 'x-9' }), end())).toBe(1)
    expect(
      count(
        'approval-scope-changed',
        ...asked,
        ...pending({ scope: { invoice: 'INV-77', amount: 184 } }),
        end(),
      ),
    ).toBe(1)
    expect(count('approval-scope-changed', ...asked, ...pending({ action: 'refund_all' }), end())).toBe(1)
  })
  it('are silent when it crosses unchanged, in whatever order of fields', () => {
    const same = judge(
      ...asked,
      ...pending({ action: 'refund_fee', scope: { amount: 18.4, invoice: 'INV-77' } }),
      end(),
    )
    expect(raised(same)).toEqual([])
  })
  it('id-changed is raised when the answer comes under an id that nobody announced', () => {
    const answer = (fields: object): Entry => ({
      kind: 'approval',
      id: 'inner-3',
      state: 'approved',
      by: 'u-9',
      ...fields,
    })
    expect(count('approval-id-changed', ...asked, answer({ for: 'op-1' }), end())).toBe(1)
    expect(count('approval-id-changed', ...asked, answer({ id: 'c-op-1' }), end())).toBe(1)
    expect(
      count('approval-id-changed', ...asked, answer({ action: 'refund_fee', scope: refund }), end()),
    ).toBe(1)
    expect(count('approval-id-changed', ...asked, answer({ for: 'op-2', action: 'refund_fee' }), end())).toBe(
      0,
    )
  })
  it('id-changed is silent when two people both have to agree', () => {
    const second = approval('pending', { id: 'ap-2' })
    const yes = [approval('approved', { by: 'u-9' }), approval('approved', { id: 'ap-2', by: 'u-10' })]
    expect(count('approval-id-changed', ...asked, second, ...yes, call('settled'), end())).toBe(0)
  })
  it('id-changed is raised when one call was asked for twice and left on one answer', () => {
    const second = approval('pending', { id: 'ap-2' })
    const yes = approval('approved', { id: 'ap-2', by: 'u-9' })
    expect(count('approval-id-changed', ...asked, second, yes, call('settled'), end())).toBe(1)
    // It waits: the second may be for another person.
    expect(count('approval-id-changed', ...asked, second, yes, end())).toBe(0)
    const other = call('proposed', {}, 'desk', 'op-2')
    expect(
      count(
        'approval-id-changed',
        ...asked,
        other,
        approval('pending', { id: 'ap-2', for: 'op-2' }),
        yes,
        end(),
      ),
    ).toBe(0)
  })
  const shown = (fields: object, ran = refund as object) => [
    start(),
    call('proposed'),
    approval('pending', fields),
    approval('approved', { by: 'u-9' }),
    operation('desk', 'op-1', 'refund_fee', ran, 'settled', { key: 'k-op-1', approval: 'ap-1' }),
    end(),
  ]
  it.each([
    ['another action and scope', { action: 'delegate_billing', scope: { task: 'sort it out' } }],
    [
      'another tool shown',
      { action: undefined, scope: undefined, shown: { tool: 'delegate', args: { task: 'x' } } },
    ],
    ['other arguments shown', { shown: { tool: 'refund_fee', args: { ...refund, amount: 1 } } }],
    ['another value in the scope', { scope: { invoice: 'INV-78' } }],
    ['a scope as JSON text', { scope: JSON.stringify({ amount: 1 }) }],
    ['a range that it leaves', { scope: { amount: { max: 10 } } }],
  ])('scope-changed is raised for %s', (_, fields) => {
    expect(count('approval-scope-changed', ...shown(fields))).toBe(1)
  })
  it.each([
    ['the same', {}],
    ['a part of the arguments', { scope: { invoice: 'INV-77' } }],
    ['numbers as text', { scope: { amount: '18.40' } }],
    ['prose', { action: 'Rückzahlung', scope: 'give back the fee of 18.40' }],
    ['a shorter name', { action: 'refund', scope: undefined }],
    ['a range', { scope: { amount: { max: 20 } } }],
    ['another name with the same scope', { action: 'give_back' }],
  ])('scope-changed is silent for %s', (_, fields) => {
    expect(count('approval-scope-changed', ...shown(fields))).toBe(0)
  })
  it('scope-changed is raised when arguments change after the yes, unless the yes itself changed them', () => {
    const more = { invoice: 'INV-77', amount: 184 }
    expect(count('approval-scope-changed', ...shown({}, more))).toBe(1)
    expect(count('approval-scope-changed', ...shown({ scope: undefined }, more))).toBe(1)
    const edited = [
      ...asked,
      approval('approved', { by: 'u-9', scope: more }),
      operation('desk', 'op-1', 'refund_fee', more, 'settled', { key: 'k-op-1' }),
    ]
    expect(count('approval-scope-changed', ...edited, end())).toBe(0)
  })
})
