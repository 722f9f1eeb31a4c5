import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  operation,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

/* A model writes its arguments as JSON text, and a log may keep them so on one side and as an object on the other. */

const ARGS = { customer: 'x9', eur: 3 }
const TEXT = '{"eur": 3, "customer": "x9"}'
const OTHER = '{"eur": 4, "customer": "x9"}'
const charge = (op: string, args: unknown, state: string, key: string) =>
  operation('desk', op, 'charge', args as object, state, { key })
const count = (check: string, ...entries: Entry[]) =>
  findingsOf(judge(start(), ...entries, end()), check).length
const user = item.user('u1', 'Charge three euros.')

describe('arguments as JSON text', () => {
  it('are the same effect', () => {
    const again = (check: string, args: unknown, state: string, key: string) =>
      count(check, charge('op-1', ARGS, state, 'k1'), charge('op-2', args, 'settled', key))
    expect(again('side-effect-repeated', TEXT, 'settled', 'k2')).toBe(1)
    expect(again('side-effect-repeated', OTHER, 'settled', 'k2')).toBe(0)
    expect(again('retry-new-key', TEXT, 'unknown', 'k2')).toBe(1)
    expect(again('retry-new-key', OTHER, 'unknown', 'k2')).toBe(0)
    expect(again('key-reused', TEXT, 'unknown', 'k1')).toBe(0)
    expect(again('key-reused', OTHER, 'unknown', 'k1')).toBe(1)
  })

  it('may hold the key', () => {
    const args = '{"eur": 3, "idempotency_key": "k9"}'
    const attempt = (op: string) => operation('desk', op, 'charge', args as never, 'unknown')
    expect(count('write-without-key', attempt('op-1'), attempt('op-2'))).toBe(0)
    expect(count('side-effect-repeated', attempt('op-1'), attempt('op-2'))).toBe(0)
  })

  it('are the same read', () => {
    const look = (op: string, args: unknown, by: string) =>
      read(by, op, 'find', args as object, 'settled', { call: op, result: 'two' })
    const items = [user, item.call('i1', 'op-1', 'find', ARGS), item.result('i2', 'op-1', 'two')]
    const asked = (args: unknown) =>
      count(
        'redundant-call',
        look('op-1', ARGS, 'desk'),
        ...crossed('h1', 'desk', 'bank', items),
        look('op-2', args, 'bank'),
      )
    expect(asked(TEXT)).toBe(1)
    expect(asked(OTHER)).toBe(0)
  })

  it('keep to the limits of a rule or break them', () => {
    const rule = { kind: 'constraint', id: 'k', text: 'max 3', check: { limit: { arg: 'eur', max: 3 } } }
    expect(count('constraint-violated', rule, charge('op-1', TEXT, 'settled', 'k1'))).toBe(0)
    expect(count('constraint-violated', rule, charge('op-1', OTHER, 'settled', 'k1'))).toBe(1)
  })
})

describe('a scope as JSON text', () => {
  const pending: Entry = {
    ...{ kind: 'approval', id: 'q', state: 'pending', action: 'charge', scope: ARGS },
    ...{ agent: 'desk', for: 'op-1' },
  }
  const handed = (scope: unknown, check: string, asked: Entry[] = [pending]) =>
    count(
      check,
      charge('op-1', ARGS, 'proposed', 'k1'),
      ...asked,
      sent('h1', 'desk', 'bank', {
        items_before: [user],
        record: { pending_actions: [{ id: 'q', action: 'charge', scope: ARGS, state: 'pending' }] },
      }),
      received('h1', 'bank', {
        items: [user],
        record: { pending_actions: [{ id: 'q', action: 'charge', scope, state: 'pending' }] },
      }),
    )
  it('is the same scope at the receiver', () => {
    expect(handed(TEXT, 'approval-scope-changed')).toBe(0)
    expect(handed(OTHER, 'approval-scope-changed')).toBe(1)
  })
  it('is compared where only the record tells of the question, or the question has it', () => {
    expect(handed(TEXT, 'approval-scope-changed', [])).toBe(0)
    expect(handed(ARGS, 'approval-scope-changed', [{ ...pending, scope: TEXT }])).toBe(0)
    expect(
      handed(ARGS, 'approval-scope-changed', [{ ...pending, scope: OTHER }]),
      'at the receiver, and the call',
    ).toBe(2)
  })
})
