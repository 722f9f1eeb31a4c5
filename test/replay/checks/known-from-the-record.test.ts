import { describe, expect, it } from 'vitest'
import { foldRun } from '../../../replay/fold/fold.ts'
import {
  type Entry,
  end,
  item,
  judge,
  log,
  operation,
  raised,
  received,
  sent,
  start,
} from '../run-builder.ts'

/*
 * A runtime may log no call as an event and know what is open, or done, only in the record that it passes on. Each fault
 * stands beside the same run without it.
 */

const words = [item.user('u1', 'Order three inks, please')]
const args = { n: 3 }
const open = { op: 'op-7', tool: 'order_ink', args, key: 'ink-3', state: 'unknown' }

const over = (before: object, after: object, ...work: Entry[]) =>
  raised(
    judge(
      start(),
      sent('h1', 'desk', 'stock', { items_before: words, record: before }),
      received('h1', 'stock', { items: words, record: after }),
      ...work,
      end(),
    ),
  )
const asOpen = (fields: object = {}) => ({ open_operations: [{ ...open, ...fields }] })
const by = (op: string, tool: string, key: string, state = 'settled', fields: object = {}) =>
  operation('stock', op, tool, args, state, { key, result: 'PO-88', ...fields })

describe('an open operation that only the record knows', () => {
  it('has to be in the record that arrives, unchanged', () => {
    expect(over(asOpen(), asOpen())).toEqual([])
    expect(over(asOpen(), { open_operations: [] })).toContain('op-in-doubt-key-missing')
    expect(over(asOpen(), asOpen({ args: { n: 30 } }))).toContain('op-altered')
    expect(over(asOpen(), asOpen({ state: 'failed' }))).toContain('op-state-changed')
  })

  it('also without arguments, which is all that some records say', () => {
    const short = { open_operations: [{ op: 'op-7', key: 'ink-3', state: 'unknown' }] }
    expect(over(short, short)).toEqual([])
    expect(over(short, { open_operations: [] })).toEqual(['op-in-doubt-key-missing'])
    expect(over(short, { open_operations: [], constraints: [], note: 'ink-3' })).not.toContain(
      'op-in-doubt-key-missing',
    )
    const proposed = { open_operations: [{ op: 'op-7', key: 'ink-3', state: 'proposed' }] }
    expect(over(proposed, { open_operations: [] })).not.toContain('op-in-doubt-key-missing')
  })

  it('is settled before anything else, and repeated under its own key', () => {
    expect(over(asOpen(), asOpen(), by('op-8', 'send_invoice', 'inv-1'))).toEqual([
      'not-settled-before-planning',
    ])
    expect(over(asOpen(), asOpen(), by('op-8', 'order_ink', 'ink-3b'))).toEqual(
      expect.arrayContaining(['retry-new-key', 'side-effect-repeated']),
    )
    expect(over(asOpen(), asOpen(), by('op-7', 'order_ink', 'ink-3'))).toEqual([])
    const closed = by('op-7', 'order_ink', 'ink-3', 'closed')
    expect(over(asOpen(), asOpen(), closed, by('op-8', 'order_ink', 'ink-3b'))).toEqual([])
  })

  it('begins with the sender, where the receiver logs how it ended', () => {
    const run = foldRun(
      log([
        start(),
        sent('h1', 'desk', 'stock', { record: asOpen() }),
        received('h1', 'stock', { record: asOpen() }),
        by('op-7', 'order_ink', 'ink-3'),
      ]),
    )
    const [known, ...others] = [...run.operations.values()]
    expect(others).toEqual([])
    expect(known).toMatchObject({ op: 'op-7', agent: 'desk', effect: 'write' })
    expect(known?.versions.map(({ value }) => [value.state, value.agent])).toEqual([
      ['unknown', 'desk'],
      ['settled', 'stock'],
    ])
  })
})

describe('an open operation that the log knows as well', () => {
  const logged = (entry: Entry, record: object) =>
    raised(
      judge(
        start(),
        entry,
        sent('h1', 'desk', 'stock', { items_before: words, record }),
        received('h1', 'stock', { items: words, record }),
        end(),
      ),
    )

  it('is not known twice: by its key, its id or what it does', () => {
    const entry = (fields: object) => operation('desk', 'op-7', 'order_ink', args, 'unknown', fields)
    for (const record of [asOpen(), asOpen({ op: 'x-1' })])
      expect(logged(entry({ key: 'ink-3' }), record)).toEqual([])
    expect(logged(entry({ key: 'ink-3' }), asOpen({ key: undefined }))).toEqual(['op-in-doubt-key-missing'])
    expect(logged({ ...entry({}), op: 'op-9' }, asOpen())).not.toContain('side-effect-repeated')
  })

  it('is another one where two processes number alike', () => {
    const other = operation('desk', 'op-7', 'send_mail', { to: 'a' }, 'settled', {
      key: 'mail-1',
      result: 'ok',
    })
    const run = foldRun(log([start(), other, sent('h1', 'desk', 'stock', { record: asOpen() })]))
    expect([...run.operations.values()].map(({ tool }) => tool)).toEqual(['send_mail', 'order_ink'])
  })
})

describe('a completed effect that only the record knows', () => {
  const done = (key: string, result = 'PO-88') => ({ op: `op-${key}`, tool: 'order_ink', key, result })

  it('has to arrive in some form', () => {
    const before = { completed_effects: [done('ink-3'), done('ink-4', 'PO-89')] }
    expect(over(before, before)).toEqual([])
    expect(over(before, { completed_effects: [done('ink-3')] })).toEqual(['op-result-missing'])
    expect(over(before, { completed_effects: [done('ink-3')], evidence: [{ ref: 'PO-89' }] })).not.toContain(
      'op-result-missing',
    )
  })
})
