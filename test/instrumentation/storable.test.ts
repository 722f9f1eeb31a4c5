import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storable, storableFields } from '../../instrumentation/storable.ts'

describe('what a runtime has, as JSON', () => {
  test('plain data comes out as JSON.stringify writes it, byte for byte', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.stringify(storable(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  test('anything at all comes out as JSON that reads back, without a throw and without a change to the value', () => {
    const wild = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
    })
    fc.assert(
      fc.property(wild, (value) => {
        const before = fc.stringify(value)
        const text = JSON.stringify(storable(value))
        if (text !== undefined) JSON.parse(text)
        expect(fc.stringify(value)).toBe(before)
      }),
    )
  })

  test.each([
    ['a big integer', 123n, { not_json: 'bigint', value: '123' }],
    ['not a number', Number.NaN, { not_json: 'number', value: 'NaN' }],
    ['a symbol', Symbol('s'), { not_json: 'symbol', value: 's' }],
    ['a function', function reserve() {}, { not_json: 'function', name: 'reserve' }],
    [
      'a map',
      new Map([['a', 1n]]),
      { not_json: 'Map', entries: [['a', { not_json: 'bigint', value: '1' }]] },
    ],
    ['a set', new Set([1]), { not_json: 'Set', values: [1] }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a promise', Promise.resolve(1), { not_json: 'Promise' }],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['an undefined field and element', { a: undefined, b: [undefined] }, { b: [null] }],
  ])('%s', (_what, value, expected) => {
    expect(storable(value)).toEqual(expected)
  })

  test('bytes become their number and hash', () => {
    // sha256 of "abc" from FIPS 180-2, appendix B.1.
    expect(storable(Buffer.from('abc'))).toEqual({
      not_json: 'Buffer',
      bytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    })
  })

  test('an error keeps what tells, and not the request that hangs on it', () => {
    const error = Object.assign(new Error('no answer', { cause: new TypeError('reset') }), {
      code: 'ETIMEDOUT',
      config: { headers: { authorization: 'Bearer x' } },
    })
    expect(storable({ error })).toEqual({
      error: {
        name: 'Error',
        message: 'no answer',
        code: 'ETIMEDOUT',
        cause: { name: 'TypeError', message: 'reset' },
      },
    })
  })

  test('a cycle ends where it closes, and the same object twice is no cycle', () => {
    const shared = { n: 1 }
    const value: Record<string, unknown> = { a: shared, b: shared }
    value.self = value
    expect(storable(value)).toEqual({ a: { n: 1 }, b: { n: 1 }, self: { not_json: 'circular' } })
  })

  test('getters, proxies and toJSON that throw are described, the rest is kept', () => {
    const broken = () => {
      throw new RangeError('no')
    }
    const value = {
      kept: 1,
      get bad() {
        return broken()
      },
      proxy: new Proxy({}, { ownKeys: broken, get: broken }),
      json: { toJSON: broken },
    }
    const unreadable = { not_json: 'unreadable', error: 'RangeError' }
    expect(storable(value)).toEqual({ kept: 1, bad: unreadable, proxy: unreadable, json: unreadable })
  })

  test('a field named __proto__ stays a field', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}')
    const stored = storable(value) as object
    expect(JSON.stringify(stored)).toBe('{"__proto__":{"polluted":true},"a":1}')
    expect((stored as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('the absurdly large is cut and says so', () => {
    const sparse: unknown[] = []
    sparse.length = 4_000_000_000
    const cut = storable(sparse) as unknown[]
    expect(cut.length).toBeLessThan(300_000)
    expect(cut.at(-1)).toEqual({ not_json: 'too large', left_out: 4_000_000_000 - (cut.length - 1) })
    const long = storable('x'.repeat(50 * 1024 * 1024)) as string
    expect(long.length).toBeLessThan(2_000)
    expect(long).toContain('characters left out')
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(JSON.stringify(storable(deep))).toContain('too deep')
  })

  test('the copy is of the moment', () => {
    const value = { items: [1] }
    const stored = storable(value)
    value.items.push(2)
    expect(stored).toEqual({ items: [1] })
  })

  test('options that are no object count as none', () => {
    for (const value of [undefined, null, 3, 'text', [1], () => 1]) {
      const fields = storableFields(value)
      expect(Array.isArray(fields)).toBe(false)
      expect(fields.items).toBeUndefined()
    }
  })
})
