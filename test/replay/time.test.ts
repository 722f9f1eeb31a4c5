import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeOf } from '../../replay/fold/time.ts'

/** By definition: what Date.parse says without the fraction, and the fraction in nanoseconds. */
function defined(at: string) {
  const [, before, digits = '', after] = /^([^.]*)(?:\.(\d*))?(.*)$/.exec(at)!
  const ms = Date.parse(`${before}${after}`)
  const nanos = Number(digits.slice(0, 9).padEnd(9, '0'))
  return Number.isNaN(ms) ? undefined : { ms: ms + Math.floor(nanos / 1e6), nanos: nanos % 1e6 }
}

const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'))
// Few minutes, so that many follow one of the same; and all that is not quite a time.
const written = fc
  .record({
    day: fc.constantFrom('2031-03-04', '2031-02-30', '1969-12-31', '0000-01-01', '20310304', '+002031-03-04'),
    between: fc.constantFrom('T', 'T', 'T', ' ', 't'),
    hour: fc.constantFrom('09', '10', '24', '9'),
    minute: fc.constantFrom('00', '01', '59', '60'),
    seconds: fc.oneof(two(59), two(99), fc.constantFrom('', '5', ' 5', '0x')),
    fraction: fc.oneof(
      fc.constantFrom('', '', '.', '.5'),
      fc.stringMatching(/^\d{1,12}$/).map((digits) => `.${digits}`),
    ),
    zone: fc.constantFrom('Z', 'Z', 'Z', '', '+01:00', '-00:30', 'z', 'ZZ'),
  })
  .map(
    ({ day, between, hour, minute, seconds, fraction, zone }) =>
      `${day}${between}${hour}:${minute}:${seconds}${fraction}${zone}`,
  )

describe('a time', () => {
  it('is what Date.parse says, to the nanosecond, whatever was read before it', () => {
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 20 }), (times) => {
        for (const at of times) expect([at, timeOf(at)]).toEqual([at, defined(at)])
      }),
      { numRuns: 2000, examples: [[['2031-03-04T24:00:00Z', '2031-03-04T24:00:05Z']]] },
    )
  })
})
