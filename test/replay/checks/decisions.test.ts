import { describe, expect, it } from 'vitest'
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
import { approval, asked, call, hand, refund, user } from './refund-story.ts'

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length

describe('approval-misdirected', () => {
  const yes = (fields: object) => approval('approved', { by: 'u-9', agent: undefined, ...fields })
  it('is raised when the answer goes elsewhere or its delivery fails', () => {
    expect(count('approval-misdirected', ...asked, yes({ delivered_to: 'front' }), end())).toBe(1)
    expect(
      count('approval-misdirected', ...asked, yes({ delivered_to: 'desk', error: 'no such run' }), end()),
    ).toBe(1)
    expect(
      count('approval-misdirected', ...asked, approval('rejected', { delivered_to: 'front' }), end()),
    ).toBe(1)
  })
  it('is silent when it arrives: at once, later, by use, or where the question had gone', () => {
    expect(count('approval-misdirected', ...asked, yes({ delivered_to: 'desk' }), end())).toBe(0)
    expect(count('approval-misdirected', ...asked, yes({}), end())).toBe(0)
    expect(
      count(
        'approval-misdirected',
        ...asked,
        yes({ delivered_to: 'front' }),
        yes({ delivered_to: 'desk' }),
        end(),
      ),
    ).toBe(0)
    expect(
      count('approval-misdirected', ...asked, yes({ delivered_to: 'front' }), call('settled'), end()),
    ).toBe(0)
    const carried = hand('transfer', { record: { pending_actions: ['ap-1'] } })
    expect(
      count('approval-misdirected', ...asked, ...carried, yes({ delivered_to: 'disputes' }), end()),
    ).toBe(0)
    const relay = [
      sent('h3', 'front', 'desk', { mode: 'resume' }),
      received('h3', 'desk', { items: [user, { type: 'approval', approval: 'ap-1', state: 'approved' }] }),
    ]
    expect(count('approval-misdirected', ...asked, yes({ delivered_to: 'front' }), ...relay, end())).toBe(0)
  })
  it('is raised when the answer stays with whoever was only asked to decide', () => {
    const carried = { record: { pending_actions: ['ap-1'] } }
    const decides = (mode: string, fields: object = {}, ...more: Entry[]) =>
      count(
        'approval-misdirected',
        ...asked,
        ...hand(mode, carried, { requested_action: 'approve' }),
        yes({ by: 'disputes', delivered_to: 'disputes', ...fields }),
        ...more,
        end(),
      )
    for (const mode of ['escalate', 'delegate']) {
      expect(decides(mode), mode).toBe(1)
      expect(decides(mode, { delivered_to: 'desk' }), mode).toBe(0)
      // A person decides, and disputes has the question from desk.
      expect(decides(mode, { by: 'u-9' }), mode).toBe(0)
      expect(decides(mode, {}, call('settled', { approval: 'ap-1' })), mode).toBe(0)
      const verdict = (word: string): Entry => ({
        kind: 'handoff.verdict',
        handoff: 'h1',
        by: 'disputes',
        verdict: word,
      })
      expect(decides(mode, {}, verdict('approve')), mode).toBe(0)
      expect(decides(mode, {}, verdict('acknowledge')), mode).toBe(1)
    }
    // It has taken the task over, and waits itself.
    expect(decides('transfer')).toBe(0)
  })
})

describe('approval-consumed-early', () => {
  const used = [...asked, approval('approved', { by: 'u-9' }), approval('consumed')]
  const failed = [...used, call('failed', { error: 'pod restarted' })]
  it('is raised when the step failed after the yes, in either order, or never ran', () => {
    expect(count('approval-consumed-early', ...failed, end())).toBe(1)
    expect(
      count(
        'approval-consumed-early',
        ...asked,
        approval('approved'),
        call('failed'),
        approval('consumed'),
        end(),
      ),
    ).toBe(1)
    expect(count('approval-consumed-early', ...used, end())).toBe(1)
    expect(count('approval-consumed-early', ...used)).toBe(0)
    const crash: Entry = { kind: 'process.crash', agent: 'desk' }
    expect(count('approval-consumed-early', ...used, crash, end())).toBe(1)
    const resume = [
      sent('h3', 'runtime', 'desk', { mode: 'resume' }),
      { kind: 'handoff.failed', handoff: 'h3', outcome: 'refused' },
    ]
    expect(count('approval-consumed-early', ...used, ...resume, end())).toBe(1)
  })
  it('is silent when it ran, may have run, succeeds later, or is asked again', () => {
    expect(count('approval-consumed-early', ...used, call('settled'), end())).toBe(0)
    expect(count('approval-consumed-early', ...used, call('unknown'), end())).toBe(0)
    expect(
      count(
        'approval-consumed-early',
        ...failed,
        call('settled', { approval: 'ap-1' }, 'desk', 'op-2'),
        end(),
      ),
    ).toBe(0)
    expect(count('approval-consumed-early', ...failed, approval('pending', { id: 'ap-2' }), end())).toBe(0)
    expect(count('approval-consumed-early', ...failed, approval('pending'), end())).toBe(0)
    expect(count('approval-consumed-early', ...asked, approval('approved'), call('failed'), end())).toBe(0)
  })
})

describe('refusals', () => {
  const no = approval('rejected', { by: 'owner-2', reason: 'noch nicht, erst fragen' })
  const helped = [
    start(),
    ...crossed('h0', 'lead', 'desk', [user], { mode: 'delegate' }),
    call('proposed'),
    approval('pending'),
  ]
  const back = (after: object) => [
    sent('h1', 'desk', 'lead', { mode: 'return' }),
    received('h1', 'lead', after),
  ]
  const report = (text: string) => ({ items: [item.agent('r1', 'desk', text)] })
  it('decision-lost is raised when it comes back as a vague complaint, or with another state', () => {
    expect(
      count(
        'approval-decision-lost',
        ...helped,
        no,
        ...back(report('It did not work, access was denied.')),
        end(),
      ),
    ).toBe(1)
    const other = { record: { pending_actions: [{ id: 'ap-1', state: 'pending' }] } }
    expect(count('approval-decision-lost', ...helped, no, ...back(other), end())).toBe(1)
    expect(
      count('approval-decision-lost', ...helped, { ...no, state: 'denied' }, ...back({ items: [] }), end()),
    ).toBe(1)
  })
  it.each([
    ['the record', { record: { pending_actions: [{ id: 'ap-1', state: 'rejected', by: 'owner-2' }] } }],
    ['what not to retry', { record: { rejected: ['refund_fee INV-77'] } }],
    ['an item', { items: [{ id: 'd', type: 'approval', approval: 'ap-1', state: 'declined' }] }],
    ['the reason', report('Bescheid: „noch nicht, erst fragen“.')],
    ['its author', report('owner-2 will das nicht.')],
    ['a plain sentence', report('Nothing was paid. The owner declined the refund.')],
  ])('decision-lost is silent when it comes back in %s', (_, after) => {
    expect(count('approval-decision-lost', ...helped, no, ...back(after), end())).toBe(0)
  })
  it('decision-lost is silent when the receiver was told itself, or it was settled in an earlier round', () => {
    expect(
      count(
        'approval-decision-lost',
        ...helped,
        { ...no, delivered_to: 'lead' },
        ...back({ items: [] }),
        end(),
      ),
    ).toBe(0)
    const later = [
      ...crossed('h2', 'lead', 'desk', [user], { mode: 'delegate' }),
      sent('h3', 'desk', 'lead', { mode: 'return' }),
      received('h3', 'lead', { items: [] }),
    ]
    expect(
      count('approval-decision-lost', ...helped, no, ...back(report('owner-2 said no.')), ...later, end()),
    ).toBe(0)
    expect(count('approval-decision-lost', ...asked, no, ...hand('transfer'), end())).toBe(0)
  })
  it('decision-lost is raised on a transfer after which the receiver does it', () => {
    expect(
      count(
        'approval-decision-lost',
        ...asked,
        no,
        ...hand('transfer'),
        call('sent', {}, 'disputes', 'op-5'),
        end(),
      ),
    ).toBe(1)
  })
  const again = (agent: string, args: object, tool = 'refund_fee') =>
    operation(agent, 'op-5', tool, args, 'settled', { key: 'other' })
  it('rejected-overridden is raised whoever does it, under whatever op and key', () => {
    for (const agent of ['desk', 'lead'])
      expect(count('approval-rejected-overridden', ...helped, no, again(agent, refund), end())).toBe(1)
    expect(count('approval-rejected-overridden', ...helped, no, call('settled'), end())).toBe(1)
    expect(
      count('approval-rejected-overridden', ...helped, no, again('lead', { ...refund, force: true }), end()),
    ).toBe(1)
    expect(
      count('approval-rejected-overridden', ...helped, no, again('lead', refund, 'bank.refund_fee'), end()),
    ).toBe(1)
    const bare = [start(), { ...approval('pending'), for: undefined }, { ...no, for: undefined }]
    expect(count('approval-rejected-overridden', ...bare, again('lead', refund), end())).toBe(1)
  })
  it('rejected-overridden is silent for another request, a later yes, and what had left before', () => {
    expect(
      count(
        'approval-rejected-overridden',
        ...helped,
        no,
        again('lead', { invoice: 'INV-77', amount: 5 }),
        end(),
      ),
    ).toBe(0)
    expect(
      count(
        'approval-rejected-overridden',
        ...helped,
        no,
        approval('approved', { by: 'owner-2' }),
        call('settled'),
        end(),
      ),
    ).toBe(0)
    const second = [approval('pending', { id: 'ap-2' }), approval('approved', { id: 'ap-2' })]
    expect(count('approval-rejected-overridden', ...helped, no, ...second, call('settled'), end())).toBe(0)
    expect(count('approval-rejected-overridden', ...helped, call('sent'), no, call('settled'), end())).toBe(0)
    expect(count('approval-rejected-overridden', ...helped, no, call('failed'), end())).toBe(0)
  })
})
