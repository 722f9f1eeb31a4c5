import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayHoldGenerated, withoutGenerated } from '../../replay/facts/generated.ts'

const UUID = '123e4567-e89b-42d3-a456-426614174000'

describe('what every run makes anew', () => {
  it('is left out: ids, times, long random strings, and fields that name them', () => {
    const of = (job: string, at: string, hash: string) => ({
      id: 'x',
      text: `job ${job} began at ${at}, ${hash}`,
      list: [{ call_id: job, tool: 'reserve' }],
    })
    const one = of(UUID, '2031-02-03T04:05:06Z', '0123456789abcdef')
    const other = of(UUID.replace('1', '2'), '2032-02-03T04:05:07.5+02:00', 'fedcba9876543210ff')
    expect(withoutGenerated(one)).toEqual({ text: 'job * began at *, *', list: [{ tool: 'reserve' }] })
    expect(withoutGenerated(other)).toEqual(withoutGenerated(one))
    expect(withoutGenerated('1700000000 and 1700000000123')).toBe('* and *')
  })

  it('takes no member with it that only has an odd name', () => {
    const value = JSON.parse(
      `{"__proto__": {"id": "x", "at": "${UUID}", "kept": 1}, "constructor": "${UUID}"}`,
    )
    expect(JSON.stringify(withoutGenerated(value))).toBe('{"__proto__":{"kept":1},"constructor":"*"}')
  })

  it('is looked for only where a text may hold it, which is told as the expression tells it', () => {
    // What all of them have in common, by definition; the code looks character by character.
    const expression = /[0-9a-f]{4}-|\d{10}|[0-9a-z]{16}/iu
    const piece = fc.constantFrom(
      'a',
      'F',
      'g',
      'Z',
      '0',
      '9',
      '-',
      ' ',
      '_',
      'é',
      '\u212a',
      '\u017f',
      'дом',
      '[',
    )
    const text = fc
      .array(fc.tuple(piece, fc.integer({ min: 1, max: 17 })))
      .map((pieces) => pieces.map(([character, times]) => character.repeat(times)).join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (given) => {
        expect(mayHoldGenerated(given)).toBe(expression.test(given))
      }),
      { numRuns: 2000 },
    )
  })
})
