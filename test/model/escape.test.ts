import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeLines, escapeText } from '../../model/escape.ts'

/** What may never reach a terminal, written out as numbers and apart from the regular expression under test. */
function isHostile(point: number): boolean {
  const ranges: [number, number][] = [
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xd800, 0xdfff],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffb],
    [0xfffe, 0xffff],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ]
  return ranges.some(([from, to]) => point >= from && point <= to)
}

const isEmoji = (char: string | undefined) => char !== undefined && /^\p{Extended_Pictographic}$/u.test(char)

const wild = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.constantFrom(
        '\u001b',
        '[2J',
        ']52;c;',
        '\u0007',
        '\u202e',
        'abc',
        '\ufe0f',
        '⚠',
        '\ud83d',
        '\n',
        '\t',
      ),
    )
    .map((parts) => parts.join('')),
)

describe('escapeText', () => {
  it('lets no control, bidi, invisible or surrogate code point through', () => {
    fc.assert(
      fc.property(wild, (text) => {
        const points = [...escapeText(text)]
        points.forEach((char, index) => {
          const own = char === '\ufe0f' && isEmoji(points[index - 1])
          if (isHostile(char.codePointAt(0)!) && !own)
            throw new Error(`U+${char.codePointAt(0)!.toString(16)}`)
        })
      }),
      { numRuns: 500 },
    )
  })

  it('says which character stood there, so that nothing is lost to a reader', () => {
    const read = (text: string) =>
      text
        .replace(/\\u\{([0-9a-f]+)\}/gu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
        .replaceAll('\\n', '\n')
        .replaceAll('\\r', '\r')
        .replaceAll('\\t', '\t')
        .replaceAll('\\e', '\u001b')
    fc.assert(
      fc.property(
        wild.filter((text) => !text.includes('\\')),
        (text) => {
          expect(read(escapeText(text))).toBe(text)
        },
      ),
    )
  })

  it.each([
    ['\u001b[2J\u001b[31mred', '\\e[2J\\e[31mred'],
    ['\u001b]52;c;cm0gLXJm\u0007', '\\e]52;c;cm0gLXJm\\u{7}'],
    ['\u001b]8;;https://a.example\u001b\\label', '\\e]8;;https://a.example\\e\\label'],
    ['\u009b2J', '\\u{9b}2J'],
    ['pay \u202e00.1\u202c', 'pay \\u{202e}00.1\\u{202c}'],
    ['a\u200bb', 'a\\u{200b}b'],
    ['\ud800x', '\\u{d800}x'],
    ['\u{e0041}', '\\u{e0041}'],
    ['one\ntwo\r\n\tthree', 'one\\ntwo\\r\\n\\tthree'],
  ])('shows %j as %j', (text, expected) => {
    expect(escapeText(text)).toBe(expected)
  })

  it.each(['Grüße, 世界, שלום, مرحبا', '⚠\ufe0f done', '😀', '👍🏽', 'a\\nb'])(
    'leaves %j as it is',
    (text) => {
      expect(escapeText(text)).toBe(text)
    },
  )

  it('takes a selector that belongs to no emoji for what it is', () => {
    expect(escapeText('a\ufe0f⚠\ufe0f\ufe0f')).toBe('a\\u{fe0f}⚠\ufe0f\\u{fe0f}')
  })
})

describe('escapeLines', () => {
  it('keeps line feeds and widens tabs, nothing else', () => {
    expect(escapeLines('a\tb\r\nc\rd\ne\u001b[1A')).toBe('a  b\nc\\rd\ne\\e[1A')
  })
})
