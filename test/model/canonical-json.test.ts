import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, constraintHash, hashJson, hashText, normaliseText } from '../../model/hash.ts'
import { jsonText } from '../../model/json-text.ts'
import { bytesOf } from '../../model/sizes.ts'

const nested = (levels: number) => JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`)

describe('canonical JSON', () => {
  it('writes the example of RFC 8785, section 3.2.2', () => {
    const input = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    expect(canonicalJson(input)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('sorts by UTF-16 code units, as the example of section 3.2.3 does', () => {
    const input = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`)
    expect(Object.values(JSON.parse(canonicalJson(input)) as object).slice(1)).toEqual([
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  it.each([
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [undefined, 'null'],
    [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
    [12n, '"12"'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('writes %s as %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected)
  })

  it('keeps a member named __proto__ as any other', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":2},"a":3}'))).toBe(
      '{"__proto__":{"x":2},"a":3,"b":1}',
    )
  })

  it('writes a lone surrogate as U+FFFD and leaves text that only spells one alone', () => {
    expect(canonicalJson({ a: 'x\ud800y', b: '\\ud800', '\udc00': '😀' })).toBe(
      '{"a":"x\ufffdy","b":"\\\\ud800","\ufffd":"😀"}',
    )
  })

  it('agrees with an independent implementation wherever that one has an answer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
    )
  })

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse())
        expect(canonicalJson(reversed)).toBe(canonicalJson(value))
      }),
    )
  })

  it('ends on a cycle, and writes a value that stands twice both times', () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle.self = cycle
    expect(canonicalJson(cycle)).toBe('{"a":1,"self":null}')
    const shared = { x: 1 }
    expect(canonicalJson([shared, shared])).toBe('[{"x":1},{"x":1}]')
  })

  it('writes 10,000 and 40,000 levels', () => {
    for (const levels of [10_000, 40_000]) {
      const expected = `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`
      expect(canonicalJson(nested(levels)) === expected).toBe(true)
      expect(jsonText(nested(levels)) === expected).toBe(true)
    }
  })
})

describe('hashes', () => {
  it('are SHA-256 over the text, as published test vectors give it', () => {
    expect(hashText('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    // RFC 4231, test case 2.
    expect(hashText('what do ya want for nothing?', { key: 'Jefe' })).toBe(
      'hmac-sha256:5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    expect(hashJson({ b: 1, a: [] })).toBe(hashText('{"a":[],"b":1}'))
  })

  it('recognise a constraint by its words and its check, not by their form', () => {
    const check = { order: ['reserve_stock', 'send_invoice'] }
    expect(constraintHash({ text: '  Invoice only\nwhat is RESERVED ', check })).toBe(
      constraintHash({ text: 'invoice only what is reserved', check: { order: [...check.order] } }),
    )
    expect(constraintHash({ text: 'e\u0301tat' })).toBe(constraintHash({ text: '\u00e9tat' }))
    expect(constraintHash({ text: 'a' })).not.toBe(constraintHash({ text: 'b' }))
    expect(constraintHash({ text: 'a', check })).not.toBe(constraintHash({ text: 'a' }))
  })

  it('compare words without case, spacing and Unicode form', () => {
    expect(normaliseText('\u00a0Ship\t NOW\u2003please ')).toBe('ship now please')
  })
})

/** UTF-8 length by the definition of the encoding; a lone surrogate is written as U+FFFD, three bytes. */
function utf8Length(text: string): number {
  let bytes = 0
  for (const char of text) {
    const point = char.codePointAt(0)!
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}

describe('sizes', () => {
  it('are the UTF-8 length of the compact JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })), (value) => {
        expect(bytesOf(value)).toBe(utf8Length(JSON.stringify(value)))
      }),
    )
  })

  it.each([
    ['é', 4],
    ['€', 5],
    ['😀', 6],
    ['\ud800', 8],
    [{ a: [1, 'x'] }, 13],
    [undefined, 0],
    [() => 1, 0],
  ])('counts %j as %i bytes', (value, bytes) => {
    expect(bytesOf(value)).toBe(bytes)
  })

  it('counts 10,000 levels', () => {
    expect(bytesOf(nested(10_000))).toBe(10_000 * 8 + 1)
  })
})
