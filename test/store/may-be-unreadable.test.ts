import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mayBeUnreadable } from '../../store/may-be-unreadable.ts'

// Text as a runtime may write it: any escape, in any case, and numbers of any length and exponent.
const hex = fc.stringMatching(/^[0-9a-fA-F]{4}$/)
const escaped = fc.oneof(
  hex.map((digits) => `\\u${digits}`),
  fc.constantFrom('\\ud83d\\ude00', '\\uD800', '\\udfff', '\\\\', '\\\\ud800', '\\"', '\\n', '\\u0000'),
)
const text = fc
  .array(fc.oneof(escaped, fc.stringMatching(/^[ -!#-[\]-~é中]{0,6}$/)))
  .map((parts) => `"${parts.join('')}"`)
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.stringMatching(/^[1-9][0-9]{0,20}$/),
      fc.nat({ max: 400 }).map((zeros) => `1${'0'.repeat(zeros)}`),
    ),
    fc.constantFrom('', '.5', '.000000000000000000000001'),
    fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(999)).map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''))
const line = fc
  .array(fc.oneof(text, number, fc.json({ noUnicodeString: false } as never)))
  .map((values) => `[${values.join(',')}]`)

it('names every line that JavaScript reads and DuckDB does not', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  let refused = 0
  await fc.assert(
    fc.asyncProperty(line, async (one) => {
      JSON.parse(one)
      const answer = await connection.runAndReadAll('SELECT json_valid($1)', [one])
      if (answer.getRows()[0]![0] === true) return
      refused += 1
      expect(mayBeUnreadable(one)).toBe(true)
    }),
    { numRuns: 1500 },
  )
  connection.closeSync()
  instance.closeSync()
  expect(refused).toBeGreaterThan(50)
})

it('passes over ordinary lines', () => {
  expect(mayBeUnreadable('{"kind":"message","content":"\\u00e9 3e8 12e45 \\"quoted\\"","n":12.5e10}')).toBe(
    false,
  )
})
