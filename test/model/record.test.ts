import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { originKind, readPrincipal } from '../../model/principal.ts'
import { readRecord } from '../../model/record.ts'

describe('a principal', () => {
  it.each([
    ['user', { kind: 'human' }],
    ['Human', { kind: 'human' }],
    ['cron', { kind: 'schedule' }],
    ['webhook:warehouse', { kind: 'system', id: 'warehouse' }],
    ['webhook:', { kind: 'system' }],
    ['tenant:a:b', { kind: 'org', id: 'a:b' }],
    ['cust-510', { id: 'cust-510' }],
    ['urn:x:1', { id: 'urn:x:1' }],
    ['constructor', { id: 'constructor' }],
    ['__proto__:x', { id: '__proto__:x' }],
    [
      { id: 'u', kind: 'user' },
      { id: 'u', kind: 'human' },
    ],
    [{ id: 'u' }, { id: 'u', kind: undefined }],
    [{ kind: 'Robot' }, { id: undefined, kind: 'robot' }],
    [{ id: 5, kind: '' }, undefined],
    ['', undefined],
    [null, undefined],
    [['user'], undefined],
  ])('%j is %j', (value, expected) => {
    expect(readPrincipal(value)).toEqual(expected)
  })

  it('has a kind that no word of the language can be taken for', () => {
    expect(['toString', 'constructor', '__proto__'].map(originKind)).toEqual([
      'tostring',
      'constructor',
      '__proto__',
    ])
  })
})

describe('a record', () => {
  it('is read with its short forms understood, and paths to each entry', () => {
    const raw = {
      origin: 'webhook:warehouse',
      constraints: [
        'ship first',
        { id: 'k2', text: 'no gifts', hash: 'sha256:1', check: { forbid: 'gift' } },
        7,
      ],
      open_operations: [
        'o7:2',
        { op: 'op-1', tool: 'reserve', args: { n: 1 }, key: 'k', state: 'sent', extra: 1 },
        null,
      ],
      completed_effects: [{ key: 'c', result: null }],
      pending_actions: [
        'ap-1',
        { id: 'ap-2', action: 'pay', scope: { eur: 5 }, for: 'op-9', state: 'pending', by: 'ann' },
      ],
      commitments: ['call back', { id: 'cm', text: 'mail', state: 'open' }],
      mine: true,
    }
    expect(readRecord(raw)).toEqual({
      raw,
      fields: Object.keys(raw),
      origin: { kind: 'system', id: 'warehouse' },
      constraints: [
        { text: 'ship first', path: 'record.constraints[0]' },
        {
          id: 'k2',
          text: 'no gifts',
          hash: 'sha256:1',
          check: { forbid: 'gift' },
          path: 'record.constraints[1]',
        },
      ],
      openOperations: [
        { key: 'o7:2', path: 'record.open_operations[0]' },
        {
          op: 'op-1',
          tool: 'reserve',
          args: { n: 1 },
          key: 'k',
          state: 'sent',
          path: 'record.open_operations[1]',
        },
      ],
      completedEffects: [{ key: 'c', result: null, path: 'record.completed_effects[0]' }],
      pendingActions: [
        { id: 'ap-1', path: 'record.pending_actions[0]' },
        {
          id: 'ap-2',
          action: 'pay',
          scope: { eur: 5 },
          for: 'op-9',
          state: 'pending',
          by: 'ann',
          path: 'record.pending_actions[1]',
        },
      ],
      commitments: [
        { text: 'call back', path: 'record.commitments[0]' },
        { id: 'cm', text: 'mail', state: 'open', path: 'record.commitments[1]' },
      ],
    })
  })

  it('has ids whose numbers are read as their digits, as those of an event are', () => {
    expect(
      readRecord({
        open_operations: [900112, { op: 3, key: 900113 }],
        pending_actions: [7, { id: 8, for: 3 }],
        constraints: [{ id: 5, text: 'x' }],
      }),
    ).toMatchObject({
      openOperations: [{ key: '900112' }, { op: '3', key: '900113' }],
      pendingActions: [{ id: '7' }, { id: '8', for: '3' }],
      constraints: [{ id: '5' }],
    })
  })

  it('that did not cross is none, which is not an empty one', () => {
    expect(readRecord(undefined)).toBeUndefined()
    expect(readRecord([])).toBeUndefined()
    expect(readRecord({})?.fields).toEqual([])
  })

  it('of a wild form never throws, and what has no form is passed over', () => {
    const field = fc.constantFrom(
      'origin',
      'constraints',
      'open_operations',
      'completed_effects',
      'pending_actions',
      'commitments',
    )
    fc.assert(
      fc.property(fc.dictionary(field, fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue())), (raw) => {
        const record = readRecord(raw)!
        for (const entry of record.openOperations)
          expect(entry.path).toMatch(/^record\.open_operations\[\d+\]$/u)
        expect(record.raw).toBe(raw)
      }),
    )
  })
})
