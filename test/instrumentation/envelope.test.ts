import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeEnvelope, ENVELOPE_BYTES, encodeEnvelope } from '../../model/envelope.ts'

const envelope = fc.record({
  run: fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }),
  handoff: fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
  attempt: fc.integer({ min: 1, max: 1_000_000 }),
  clock: fc.record({
    ms: fc.integer({ min: 0, max: 253_402_300_799_999 }),
    count: fc.integer({ min: 0, max: 999_999 }),
  }),
})

describe('the envelope', () => {
  test('reads back what it wrote, in 512 bytes of printable ASCII, or does not write it', () => {
    fc.assert(
      fc.property(envelope, (value) => {
        const text = encodeEnvelope(value)
        if (text === undefined) return
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ENVELOPE_BYTES)
        expect(text).toMatch(/^[\x21-\x7e]+$/)
        expect(decodeEnvelope(text)).toEqual(value)
      }),
    )
  })

  test('fits ids of the usual forms', () => {
    const clock = { ms: 1_900_000_000_000, count: 999_999 }
    const text = encodeEnvelope({
      run: '01JZX4T8Q2M6W0000000000000',
      handoff: 'h-7k3m9x2qd4',
      attempt: 3,
      clock,
    })
    // Python: 1900000000000 and 999999 in base 36.
    expect(text).toBe('1;r=01JZX4T8Q2M6W0000000000000;h=h-7k3m9x2qd4;a=3;c=o8uixyps.lflr')
    expect(decodeEnvelope(text)).toMatchObject({ attempt: 3, clock })
  })

  test('never throws, whatever it is given to read', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string({ unit: 'binary', maxLength: 600 })), (value) => {
        decodeEnvelope(value)
      }),
    )
  })

  test('never throws on a well-formed one with one character changed', () => {
    const text = encodeEnvelope({ run: 'r 1', handoff: 'h;1', attempt: 1, clock: { ms: 5, count: 6 } })!
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
        const read = decodeEnvelope(text.slice(0, at) + char + text.slice(at + 1))
        if (read) expect(Number.isSafeInteger(read.attempt)).toBe(true)
      }),
    )
  })

  test.each([
    ['another version', '2;r=a;h=b;a=1;c=1.1'],
    ['no run', '1;h=b;a=1;c=1.1'],
    ['an empty handoff', '1;r=a;h=;a=1;c=1.1'],
    ['a field twice', '1;r=a;r=x;h=b;a=1;c=1.1'],
    ['a negative attempt', '1;r=a;h=b;a=-1;c=1.1'],
    ['attempt zero', '1;r=a;h=b;a=0;c=1.1'],
    ['a clock after the year 9999', '1;r=a;h=b;a=1;c=zzzzzzzzzz.0'],
    ['a counter above six digits', '1;r=a;h=b;a=1;c=1.lfls'],
    ['broken percent-encoding', '1;r=%E0%A4%A;h=b;a=1;c=1.1'],
    ['too long', `1;r=${'a'.repeat(600)};h=b;a=1;c=1.1`],
  ])('refuses %s', (_what, text) => {
    expect(decodeEnvelope(text)).toBeUndefined()
  })

  test('passes over fields of a later version', () => {
    expect(decodeEnvelope('1;r=a;h=b;a=1;c=a.0;z=9')).toEqual({
      run: 'a',
      handoff: 'b',
      attempt: 1,
      clock: { ms: 10, count: 0 },
    })
  })
})
