import { describe, expect, it } from 'vitest'
import { type Entry, findingsOf, judge, operation, start } from '../run-builder.ts'

const raise = (check: string, ...entries: Entry[]) => findingsOf(judge(start(), ...entries), check)

describe('key-reused', () => {
  const check = 'key-reused'
  const keyed = (op: string, tool: string, args: object, fields: object = {}) =>
    operation('clerk', op, tool, args, 'settled', { key: 'k1', ...fields })
  it('is raised for other arguments, another tool, or a later attempt with other arguments', () => {
    expect(raise(check, keyed('op-1', 'pay', { eur: 90 }), keyed('op-2', 'pay', { eur: 91 }))).toHaveLength(1)
    expect(raise(check, keyed('op-1', 'pay', { eur: 90 }), keyed('op-2', 'mail', { to: 'x' }))).toHaveLength(
      1,
    )
    expect(
      raise(
        check,
        keyed('op-1', 'pay', { eur: 90 }, { attempt: 1 }),
        keyed('op-1', 'pay', { eur: 91 }, { attempt: 2 }),
      ),
    ).toHaveLength(1)
  })
  it('is not raised for a retry, for what acts on the key, or for the call that hands over', () => {
    const first = keyed('op-1', 'pay', { eur: 90 })
    expect(raise(check, first, keyed('op-2', 'pay', { eur: 90 }))).toEqual([])
    expect(raise(check, first, keyed('op-2', 'pay', { eur: 90, request: 'k1' }))).toEqual([])
    expect(raise(check, first, keyed('op-2', 'close_key', { key: 'k1' }))).toEqual([])
    expect(raise(check, first, keyed('op-2', 'findPayment', { id: 4 }))).toEqual([])
    expect(raise(check, keyed('op-0', 'a2a.send', { to: 'x', text: 'pay' }), first)).toEqual([])
    expect(raise(check, first, keyed('op-2', 'pay', { eur: 91 }, { key: 'k2' }))).toEqual([])
  })
  it.each(['refund', 'cancel_booking', 'releaseSeat', 'roll_back', 'check_out'])(
    'is raised for two calls of one tool, whatever its name says of undoing or looking up (%s)',
    (tool) => {
      const calls = [keyed('op-1', tool, { order: 7 }), keyed('op-2', tool, { order: 9 })]
      expect(raise(check, ...calls)).toHaveLength(1)
      const inArguments = { idempotency_key: 'k1' }
      expect(
        raise(
          check,
          keyed('op-1', tool, { order: 7, ...inArguments }),
          keyed('op-2', tool, { order: 9, ...inArguments }),
        ),
      ).toHaveLength(1)
      expect(raise(check, calls[0]!, keyed('op-2', tool, { order: 7 }))).toEqual([])
    },
  )
  it('is raised for two ways to undo one call under its key, and not for one', () => {
    const first = keyed('op-1', 'pay', { eur: 90 })
    const refund = (op: string, fields: object) => keyed(op, 'refund', fields)
    expect(raise(check, first, refund('op-2', { eur: 30 }))).toEqual([])
    expect(raise(check, first, refund('op-2', { eur: 30 }), refund('op-3', { eur: 20 }))).toHaveLength(1)
    // Two parts of the payment that the key names.
    const parts = [refund('op-2', { payment: 'k1', eur: 30 }), refund('op-3', { payment: 'k1', eur: 20 })]
    expect(raise(check, first, ...parts)).toEqual([])
  })
  it('is not raised for looking up in two ways what was done, nor by a tool that nobody calls a write', () => {
    const looks = (fields: object) => [
      keyed('op-2', 'find_payment', { eur: 90 }, fields),
      keyed('op-3', 'find_payment', { page: 2 }, fields),
    ]
    expect(raise(check, ...looks({}), keyed('op-4', 'pay', { eur: 90 }))).toEqual([])
    expect(raise(check, ...looks({ effect: undefined }))).toEqual([])
  })
})
