import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BINDINGS } from '../../tui/bindings.ts'
import { EscapeReader } from '../../tui/escape-key.ts'

// As the kitty protocol writes the key; ink reads it as `escape`.
const ESCAPE_KEY = '\u001b[27u'

// What xterm, rxvt, PuTTY, the Linux console and screen send for keys, modified keys, the mouse, focus and the marks of a paste.
const SEQUENCES = [
  '\u001b[A',
  '\u001bOB',
  '\u001b[1;5C',
  '\u001b[Z',
  '\u001b[5~',
  '\u001b[3;2~',
  '\u001b[7$',
  '\u001b[8^',
  '\u001b[a',
  '\u001bOd',
  '\u001bOP',
  '\u001b[15~',
  '\u001b[[A',
  '\u001b[[5~',
  '\u001b[106;5u',
  '\u001b[27;2;9~',
  '\u001b[1;1:3A',
  '\u001b[<64;10;5M',
  '\u001b[<0;3;4m',
  '\u001b[I',
  '\u001b[?62;22c',
  '\u001b[200~',
  '\u001b[201~',
]

/** Everything that comes out of chunks, and what is left when no more come. */
function readAll(chunks: readonly string[]): string {
  const reader = new EscapeReader()
  return chunks.map((chunk) => reader.read(chunk)).join('') + reader.release()
}

describe('the Escape key', () => {
  it('is told from sequences, wherever the chunks end', () => {
    // Escape and [ or O in one chunk begin a sequence by definition.
    const key = fc.constantFrom(
      'j',
      ':',
      '/',
      '{',
      '~',
      '5',
      ';',
      ' ',
      '\r',
      '\t',
      '\u007f',
      '\u0003',
      'é',
      '漢',
    )
    const token = fc.oneof(key, fc.constantFrom(...SEQUENCES), fc.constant('\u001b'))
    fc.assert(
      fc.property(
        fc.array(token, { maxLength: 12 }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        (tokens, cuts) => {
          const text = tokens.join('')
          const ends = [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
          const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
          const expected = tokens.map((one) => (one === '\u001b' ? ESCAPE_KEY : one)).join('')
          expect(readAll(chunks)).toBe(expected)
        },
      ),
    )
  })

  it('loses nothing of what else comes', () => {
    const wild = fc.string({
      unit: fc.constantFrom('\u001b', '[', 'O', '1', ';', '<', '~', 'A', 'j', ' ', '\u0003'),
    })
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 6 }), (chunks) => {
        expect(readAll(chunks).replaceAll(ESCAPE_KEY, '\u001b')).toBe(chunks.join(''))
      }),
    )
  })

  it.each(['', '[', 'O', '[['])('may be what is held back: Escape and "%s"', (next) => {
    const reader = new EscapeReader()
    expect(reader.read(`j\u001b${next}`)).toBe('j')
    expect(reader.mayBeKeys).toBe(true)
    expect(reader.release()).toBe(ESCAPE_KEY + next)
    expect(reader.mayBeKeys).toBe(false)
  })

  it.each(['[1', '[1;', '[<64;1', '[200'])('is none where a number follows: Escape and "%s"', (next) => {
    const reader = new EscapeReader()
    expect(reader.read(`\u001b${next}`)).toBe('')
    expect(reader.mayBeKeys).toBe(false)
  })

  it('is taken from no key with Alt: none is bound', () => {
    expect(BINDINGS.flatMap(({ keys }) => keys).filter((key) => /alt|meta/u.test(key))).toEqual([])
  })
})
