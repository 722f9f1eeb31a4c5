import { describe, expect, it } from 'vitest'
import { analyse } from '../../replay/analyse.ts'
import type { Settings } from '../../replay/settings.ts'
import { suppress } from '../../replay/suppress.ts'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  log,
  operation,
  received,
  sent,
  start,
} from './run-builder.ts'

function judgeWith(settings: Settings, ...entries: Entry[]) {
  return analyse(log(entries), { settings })
}

/** A request in doubt whose key stays behind, under an effect and with arguments as given. */
const lostKey = (fields: object, args: object = { sku: 'A-7' }): Entry[] => [
  start(),
  operation('orders', 'op-1', 'reserve_stock', args, 'sent', { key: 'k-7781', ...fields }),
  operation('orders', 'op-1', 'reserve_stock', args, 'unknown', { key: 'k-7781', ...fields }),
  ...crossed('h1', 'orders', 'billing', [item.user('u1', 'One A-7 please.')]),
  end(),
]

describe('settings', () => {
  it('give a check another severity, or leave it out', () => {
    const run = lostKey({})
    expect(findingsOf(judge(...run), 'op-in-doubt-key-missing')[0]?.severity).toBe('error')
    const milder = judgeWith({ severities: { 'op-in-doubt-key-missing': 'info' } }, ...run)
    expect(findingsOf(milder, 'op-in-doubt-key-missing')[0]?.severity).toBe('info')
    const off = judgeWith({ severities: { 'op-in-doubt-key-missing': 'off' } }, ...run)
    expect(findingsOf(off, 'op-in-doubt-key-missing')).toEqual([])
  })

  it('classify tools, also against the log; write wins', () => {
    const run = lostKey({ effect: 'write' })
    const effectIn = (settings: Settings) => judgeWith(settings, ...run).run.operations.get('op-1')!.effect
    expect(effectIn({ effects: { read: ['reserve_*'] } })).toBe('read')
    expect(effectIn({ effects: { read: ['reserve_*'], write: ['*_stock'] } })).toBe('write')
    expect(effectIn({ effects: { read: ['get_*'] } })).toBe('write')
    expect(
      findingsOf(judgeWith({ effects: { read: ['reserve_*'] } }, ...run), 'op-in-doubt-key-missing'),
    ).toEqual([])
  })

  it('find the key among the arguments where the log names none', () => {
    const run = lostKey({ key: undefined }, { sku: 'A-7', ticket: 'T-9917' })
    expect(findingsOf(judge(...run), 'write-without-key')).toHaveLength(1)
    const keyed = judgeWith({ keys: { 'reserve_*': ['request', 'ticket'] } }, ...run)
    expect(keyed.run.operations.get('op-1')!.key).toBe('T-9917')
    expect(findingsOf(keyed, 'write-without-key')).toEqual([])
    expect(judgeWith({ keys: { other: ['ticket'] } }, ...run).run.operations.get('op-1')!.key).toBeUndefined()
  })

  it('do not change the events that are given', () => {
    const events = log(lostKey({ effect: 'write' }))
    const before = JSON.stringify(events)
    analyse(events, { settings: { effects: { read: ['*'] }, keys: { '*': ['sku'] } } })
    expect(JSON.stringify(events)).toBe(before)
  })

  const NUMBER = 'KD-556-119'
  const detectors = [{ name: 'customer number', pattern: /KD-\d{3}-\d{3}/g }]
  const said = (text: string, policy: object): Entry[] => [
    start(),
    sent('h1', 'desk', 'fraud', {
      items_before: [
        item.user('u1', 'Check it.'),
        item.call('c', 'c1', 'find', {}),
        item.result('r', 'c1', NUMBER),
      ],
      ...policy,
    }),
    received('h1', 'fraud', { items: [item.user('u1', 'Check it.'), item.agent('a1', 'desk', text)] }),
    end(),
  ]

  it('find sensitive values that the log does not mark', () => {
    const policy = { policy: { filter: 'remove-tools' } }
    const run = said(`The customer is ${NUMBER}.`, policy)
    expect(findingsOf(judge(...run), 'sensitive-leaked')).toEqual([])
    const [finding] = findingsOf(judgeWith({ detectors }, ...run), 'sensitive-leaked')
    expect(finding?.message).toContain('the detector customer number')
    expect(JSON.stringify(finding)).not.toContain(NUMBER)
    const clean = said('The customer is known.', policy)
    expect(findingsOf(judgeWith({ detectors }, ...clean), 'sensitive-leaked')).toEqual([])
  })

  it('set the limits of checks that have one', () => {
    const words = 'word '.repeat(400)
    const run = [start(), ...crossed('h1', 'a', 'b', [item.user('u1', words)]), end()]
    const limited = (tokens: number) =>
      findingsOf(judgeWith({ thresholds: { 'payload-too-large': { tokens } } }, ...run), 'payload-too-large')
    expect(findingsOf(judge(...run), 'payload-too-large')).toEqual([])
    expect(limited(100)).toHaveLength(1)
    expect(limited(100_000)).toEqual([])

    const grown = (count: number) =>
      item.user(`u${count}`, Array.from({ length: count }, () => 'the same again').join('. '))
    const chain = [
      start(),
      ...crossed('h1', 'a', 'b', [grown(8)]),
      ...crossed('h2', 'b', 'c', [grown(12)]),
      ...crossed('h3', 'c', 'd', [grown(18)]),
      end(),
    ]
    const growth = (settings: Settings) => findingsOf(judgeWith(settings, ...chain), 'payload-growth')
    expect(growth({})).toEqual([])
    expect(growth({ thresholds: { 'payload-growth': { factor: 2 } } })).toHaveLength(1)
    expect(growth({ thresholds: { 'payload-growth': { factor: 2, hops: 4 } } })).toEqual([])
  })
})

describe('suppressions', () => {
  const { findings } = judge(...lostKey({}))
  const [finding] = findings
  const reason = 'known, ticket 12'

  it('cover findings that match all that they say, until their last day', () => {
    const covered = (suppression: object, today = '2031-05-01') =>
      suppress([finding!], [{ reason, until: '2031-05-01', ...suppression }], today).suppressed.length === 1
    expect(covered({ check: finding!.check })).toBe(true)
    expect(covered({ fingerprint: finding!.fingerprint })).toBe(true)
    expect(covered({ agents: ['billing'] })).toBe(true)
    expect(covered({ check: finding!.check, agents: ['orders', 'billing'] })).toBe(true)
    expect(covered({ check: 'op-altered' })).toBe(false)
    expect(covered({ check: finding!.check, agents: ['returns'] })).toBe(false)
    expect(covered({ fingerprint: 'ffff' })).toBe(false)
    expect(covered({ check: finding!.check }, '2031-05-02')).toBe(false)
  })

  it('say why, and lose nothing', () => {
    const parted = suppress(findings, [{ check: finding!.check, reason, until: '2031-05-01' }], '2031-01-01')
    expect(parted.suppressed[0]!.suppressed).toEqual({ reason, until: '2031-05-01' })
    expect(parted.findings.length + parted.suppressed.length).toBe(findings.length)
  })
})
