import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Line, MAX_LINE_BYTES, readLines } from '../../store/lines.ts'
import { newFolder } from './folder.ts'

async function read(path: string, from: number, final: boolean): Promise<{ lines: Line[]; end: number }> {
  const file = await open(path, 'r')
  const lines: Line[] = []
  let end = from
  try {
    for await (const batch of readLines(file, { offset: from, number: 1 }, { final })) {
      lines.push(...batch.lines)
      end = batch.next.offset
    }
    return { lines, end }
  } finally {
    await file.close()
  }
}

describe('reading lines', () => {
  it('finds every line of any text at its place, wherever reading begins anew', async () => {
    const path = join(newFolder(), 'log')
    const word = fc
      .string({ unit: 'binary', minLength: 1 })
      .map((text) => `x${text.replace(/[\n\r]/g, ' ')}x`)
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), fc.nat(8), async (words, split) => {
        writeFileSync(path, words.map((one) => `${one}\n`).join(''))
        const bytes = (list: string[]) => Buffer.byteLength(list.map((one) => `${one}\n`).join(''))
        const from = bytes(words.slice(0, split))
        const { lines, end } = await read(path, from, false)
        // Lone surrogates become U+FFFD when they are written as UTF-8.
        expect(lines.map((one) => one.text)).toEqual(
          words.slice(split).map((one) => Buffer.from(one).toString()),
        )
        expect(lines.map((one) => one.offset)).toEqual(
          words.slice(split).map((_, index) => bytes(words.slice(0, split + index))),
        )
        expect(end).toBe(Math.max(from, bytes(words)))
      }),
      { numRuns: 60 },
    )
  })

  it('passes over a byte order mark, carriage returns and blank lines', async () => {
    const path = join(newFolder(), 'log')
    writeFileSync(path, '\ufeffone\r\n\r\n  \ntwo')
    expect((await read(path, 0, true)).lines.map(({ text, number }) => [number, text])).toEqual([
      [1, 'one'],
      [4, 'two'],
    ])
    expect((await read(path, 0, false)).lines.map(({ text }) => text)).toEqual(['one'])
  })

  it('refuses a line over the limit with its length, and reads the next one', async () => {
    const path = join(newFolder(), 'log')
    const file = openSync(path, 'w')
    // A hole in the file: a very long line of zero bytes that takes no space.
    ftruncateSync(file, MAX_LINE_BYTES + 2_000_000)
    writeSync(file, '\nnext\n', MAX_LINE_BYTES + 2_000_000)
    closeSync(file)
    const { lines } = await read(path, 0, false)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatchObject({ tooLong: true, bytes: MAX_LINE_BYTES + 2_000_000, number: 1 })
    expect(lines[0]!.text.length).toBeLessThan(10_000)
    expect(lines[1]).toMatchObject({ text: 'next', number: 2, offset: MAX_LINE_BYTES + 2_000_001 })
  })
})
