import { describe, expect, it } from 'vitest'
import { type Entry, end, findingsOf, judge, message, operation, start } from '../run-builder.ts'
import { approval, asked, call, hand, refund } from './refund-story.ts'

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length

describe('write-without-approval', () => {
  it('is raised for the operation that waits, one that names it, and one with the same action and scope', () => {
    expect(count('write-without-approval', ...asked, call('settled'), end())).toBe(1)
    expect(
      count('write-without-approval', ...asked, call('sent', { approval: 'ap-1' }, 'ops', 'op-3'), end()),
    ).toBe(1)
    expect(
      count(
        'write-without-approval',
        start(),
        { ...approval('pending'), for: undefined },
        call('unknown', {}, 'ops', 'op-3'),
        end(),
      ),
    ).toBe(1)
  })
  it('is silent after the yes, for another scope, for reads and for what was refused or had left before', () => {
    expect(count('write-without-approval', ...asked, approval('granted'), call('settled'), end())).toBe(0)
    expect(
      count(
        'write-without-approval',
        ...asked,
        operation('desk', 'op-3', 'refund_fee', { invoice: 'INV-9', amount: 3 }, 'settled'),
        end(),
      ),
    ).toBe(0)
    expect(
      count('write-without-approval', ...asked, call('settled', { effect: 'read' }, 'desk', 'op-4'), end()),
    ).toBe(0)
    expect(count('write-without-approval', ...asked, call('failed'), end())).toBe(0)
    expect(
      count('write-without-approval', start(), call('sent'), approval('pending'), call('settled'), end()),
    ).toBe(0)
    expect(
      count(
        'write-without-approval',
        ...asked,
        approval('approved', { id: 'ap-2', for: 'op-1' }),
        call('settled'),
        end(),
      ),
    ).toBe(0)
  })

  describe('a yes that the call names', () => {
    const other = { invoice: 'INV-78', amount: 900 }
    const second = (state: string, fields: object = {}) =>
      operation('desk', 'op-2', 'refund_fee', other, state, { key: 'k-op-2', call: 'c-op-2', ...fields })
    const waits = approval('pending', { id: 'ap-2', for: 'op-2', scope: other })
    const under = (yes: object, ...before: Entry[]) =>
      count(
        'write-without-approval',
        ...before,
        approval('approved', { by: 'u-9', ...yes }),
        second('proposed'),
        waits,
        second('settled', { approval: 'ap-1' }),
        end(),
      )
    it('does not do where it was given for another operation or scope', () => {
      expect(under({}, ...asked)).toBe(1)
      expect(under({ action: 'refund_fee', scope: refund }, start())).toBe(1)
      expect(under({ id: 'c-op-1' }, start(), call('proposed'))).toBe(1)
    })
    it('does where it was given for that one, or for no one in particular', () => {
      expect(under({ action: 'refund_fee', scope: other }, start())).toBe(0)
      expect(under({ action: 'refund_fee' }, start())).toBe(0)
      expect(under({ action: 'refund_fee', scope: { amount: { max: 1000 } } }, start())).toBe(0)
    })
    it('does for the same call made anew, unless it was used before', () => {
      const anew = (...used: Entry[]) =>
        count(
          'write-without-approval',
          ...asked,
          approval('approved', { by: 'u-9' }),
          ...used,
          call('proposed', {}, 'desk', 'op-2'),
          approval('pending', { id: 'ap-2', for: 'op-2' }),
          call('settled', { approval: 'ap-1' }, 'desk', 'op-2'),
          end(),
        )
      expect(anew()).toBe(0)
      expect(anew(call('settled', { approval: 'ap-1' }))).toBe(1)
    })
  })
})

describe('approval-asked-again', () => {
  const yes = [...asked, approval('approved', { by: 'u-9' })]
  const no = [...asked, approval('rejected', { by: 'u-9' })]
  it('is raised under the same id, for the same operation, and for its like while the yes is unused', () => {
    expect(count('approval-asked-again', ...yes, approval('pending'), end())).toBe(1)
    expect(count('approval-asked-again', ...yes, approval('pending', { id: 'ap-2' }), end())).toBe(1)
    const like = [
      call('proposed', {}, 'disputes', 'op-2'),
      approval('pending', { id: 'ap-2', for: 'op-2', agent: 'disputes' }),
    ]
    expect(count('approval-asked-again', ...yes, ...hand('transfer'), ...like, end())).toBe(1)
    expect(count('approval-asked-again', ...no, approval('pending', { id: 'ap-2' }), end())).toBe(1)
  })
  it('is silent for a changed request, after a failure, for the next action, and when the user wants it after all', () => {
    expect(
      count(
        'approval-asked-again',
        ...no,
        approval('pending', { id: 'ap-2', scope: { ...refund, amount: 5 } }),
        end(),
      ),
    ).toBe(0)
    expect(count('approval-asked-again', ...yes, call('failed'), approval('pending'), end())).toBe(0)
    const unnamed = { for: undefined }
    const again = approval('pending', { id: 'ap-2', ...unnamed })
    const given = [start(), approval('pending', unnamed), approval('approved', { by: 'u-9', ...unnamed })]
    const named = { approval: 'ap-1' }
    expect(count('approval-asked-again', ...given, again, end())).toBe(1)
    expect(count('approval-asked-again', ...given, call('failed', named), again, end())).toBe(0)
    const next = [
      call('settled'),
      call('proposed', {}, 'desk', 'op-2'),
      approval('pending', { id: 'ap-2', for: 'op-2' }),
    ]
    expect(count('approval-asked-again', ...yes, ...next, end())).toBe(0)
    expect(
      count(
        'approval-asked-again',
        ...no,
        message('user', 'Na gut, doch.', { agent: 'desk' }),
        approval('pending', { id: 'ap-2' }),
        end(),
      ),
    ).toBe(0)
    expect(count('approval-asked-again', ...asked, approval('pending', { reason: 'reminder' }), end())).toBe(
      0,
    )
  })
})
