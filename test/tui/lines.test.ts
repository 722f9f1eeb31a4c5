import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { cells, cut, cutMiddle, fitLine, plainText, safe, textOfLine, wrap } from '../../tui/lines.ts'

// Anything that a log can hold: every code point, alone or in runs, lone surrogates included.
const wild = fc.string({ unit: 'binary', maxLength: 60 })
const hostile = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

describe('lines', () => {
  it('fit exactly, whatever they hold, and nothing hostile is left in them', () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 5 }), fc.integer({ min: 0, max: 90 }), (texts, width) => {
        const text = textOfLine(
          fitLine(
            texts.map((one) => ({ text: one })),
            width,
          ),
        )
        expect(stringWidth(text)).toBe(width)
        expect(text).not.toMatch(hostile)
      }),
      { numRuns: 500 },
    )
  })

  it('say with an ellipsis that something was cut, and only then', () => {
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdef', 5)).toBe('abcd…')
    expect(cut('案件案件', 5)).toBe('案件…')
    expect(cut('案件案件', 4)).toBe('案…')
    expect(cutMiddle('01M8MMAEG7101GB4E0YW0VP13E', 11)).toBe('01M8M…VP13E')
  })

  it('wrap to lines that are never wider, and lose no visible character but spaces', () => {
    fc.assert(
      fc.property(wild, fc.integer({ min: 12, max: 60 }), (text, width) => {
        const lines = wrap(text, width)
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        const bare = (some: string) => some.replace(/ /gu, '')
        expect(bare(lines.join(''))).toBe(
          bare(
            text
              .split(/\r\n|\n/)
              .map((part) => safe(part.replaceAll('\t', '  ')))
              .join(''),
          ),
        )
      }),
      { numRuns: 500 },
    )
  })

  it('count the signs of the screens as the cells that they take, alone and with what may follow them', () => {
    const signs = [
      ...'·…—→←↑↓─━│┃▒●◆◇•✓✗›»▾▸▁▂▃▄▅▆▇█▶◀!a ',
      '\ufe0f',
      '\u200d',
      '案',
      '한',
      'か',
      'ガ',
      '\u3099',
      '🧪',
      '\u0301',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 6 }), (parts) => {
        expect(cells(parts.join(''))).toBe(stringWidth(parts.join('')))
      }),
      { numRuns: 1000 },
    )
  })

  it('measure a word without a space once, and not once a line', () => {
    // With every line the whole rest used to be measured: minutes for this one.
    const lines = wrap('漢'.repeat(40_000), 40)
    expect(lines).toHaveLength(1000)
    expect(new Set(lines.slice(0, -1))).toEqual(new Set(['漢'.repeat(20)]))
    expect(lines.at(-1)).toBe('…')
  })

  it('do not look at more of a text than can be seen', () => {
    const long = 'x'.repeat(50_000_000)
    expect(plainText([fitLine([{ text: long }], 20)])).toBe(`${'x'.repeat(19)}…`)
  })
})
