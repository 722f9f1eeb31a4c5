import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import wrapAnsi from 'wrap-ansi'
import { wrapLines } from '../../cli/render/columns.ts'

const plain = fc.constantFrom(...'ab-c.,:()[]"0…→')
const wide = fc.constantFrom('漢', '😀', 'é', '\u001b[31mred\u001b[39m')

describe('wrapped lines', () => {
  it.each([
    ['plain words', fc.string({ unit: plain, maxLength: 9 })],
    ['words of any width', fc.string({ unit: fc.oneof(plain, wide), maxLength: 9 })],
  ])('break %s as wrap-ansi breaks them', (_, word) => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 1, max: 24 }), (words, width) => {
        const line = words.join(' ').trimStart()
        expect(wrapLines(line, width)).toEqual(wrapAnsi(line, width, { hard: true }).split('\n'))
      }),
    )
  })

  it('keep the indentation of a line that is continued, and its line breaks', () => {
    expect(wrapLines('  one two three\nfour', 9)).toEqual(['  one two', '  three', 'four'])
  })
})
