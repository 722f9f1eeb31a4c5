import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytes, grouped, plural } from '../../model/counts.ts'

it('numbers are grouped as English groups them', () => {
  const number = fc.oneof(fc.integer(), fc.integer({ min: -2000, max: 2000 }), fc.double({ noNaN: true }))
  fc.assert(
    fc.property(number, (count) => {
      expect(grouped(count)).toBe(Object.is(count, -0) ? '0' : count.toLocaleString('en-US'))
    }),
  )
  expect([grouped(999), grouped(1000), grouped(-1234567)]).toEqual(['999', '1,000', '-1,234,567'])
})

it('a count stands before its noun', () => {
  expect([plural(1, 'run'), plural(0, 'run'), plural(2000, 'entry', 'entries')]).toEqual([
    '1 run',
    '0 runs',
    '2,000 entries',
  ])
  expect(bytes(1902)).toBe('1,902 B')
})
