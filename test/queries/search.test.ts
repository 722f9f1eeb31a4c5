import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findInValue, formsOf } from '../../queries/find-text.ts'
import { type SearchRequest, searchContent } from '../../queries/search.ts'
import { lostKeyLog } from '../cli/lost-key-log.ts'
import { newFolder, opened } from '../store/folder.ts'

/** JSON as other writers make it: everything but ASCII escaped (Python's json.dumps, for one). */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

async function storeOf(lines: readonly string[]) {
  const store = await opened(newFolder())
  await store.importStream(Readable.from(lines.map((text) => `${text}\n`)))
  return (request: Partial<SearchRequest> & { text: string }) =>
    searchContent(store, { ignoreCase: false, limit: 50, timeoutMs: 60_000, ...request })
}

describe('searching content', () => {
  it('says run, handoff, side, item and path of every place, the latest event first', async () => {
    const search = await storeOf(lostKeyLog('r-1').map((event) => JSON.stringify(event)))
    const { hits, truncated } = await search({ text: 'A-7' })
    expect(truncated).toBe(false)
    expect(hits.map(({ kind, side, position, type, path }) => [kind, side, position, type, path])).toEqual([
      ['handoff.received', 'receiver', 0, 'message', 'items[0].content'],
      ['handoff.sent', 'sender', 0, 'message', 'items_before[0].content'],
      ['handoff.sent', 'sender', 2, 'tool_call', 'items_before[2].args.sku'],
      ['operation', null, null, null, 'args.sku'],
    ])
    expect(hits[0]).toMatchObject({
      run: 'r-1',
      handoff: 'h1',
      seq: 5,
      time: '2031-03-04T09:00:04Z',
      excerpt: 'Set 40 of A-7 aside.',
    })
    // What crossed and what did not: the key stands on the sender's side only.
    expect((await search({ text: 'o7:2' })).hits.map(({ kind }) => kind)).toEqual(['operation', 'operation'])
  })

  it('finds text in whatever form it stands in the JSON', async () => {
    const said = 'He said: "naïve\tline\nbreak" — \\o/ 100 %'
    const event = (run: string, content: unknown) => ({
      run,
      kind: 'message',
      seq: 1,
      at: '2031-03-04T09:00:00Z',
      content,
    })
    const search = await storeOf([
      JSON.stringify(event('plain', said)),
      asciiJson(event('ascii', said)),
      JSON.stringify(event('nested', JSON.stringify({ text: said }))),
      asciiJson(event('nested ascii', asciiJson({ text: said }))),
      JSON.stringify(event('other', 'nothing of it')),
    ])
    for (const text of [said, 'naïve', '"naïve\tline\nbreak"', '\\o/ 100 %']) {
      const found = (await search({ text })).hits.map(({ run }) => run).sort()
      expect([text, found]).toEqual([text, ['ascii', 'nested', 'nested ascii', 'plain']])
    }
    expect((await search({ text: 'NAÏVE' })).hits).toEqual([])
    expect((await search({ text: 'NAÏVE', ignoreCase: true })).hits).toHaveLength(4)
    expect((await search({ text: 'o%' })).hits).toEqual([])
  })

  it('searches one run or a window, and says when it was cut', async () => {
    const lines = Array.from({ length: 30 }, (_, n) =>
      JSON.stringify({
        run: `r-${n % 3}`,
        seq: n,
        kind: 'message',
        at: new Date(Date.UTC(2031, 2, 4, 9, n)).toISOString(),
        content: `word ${n}`,
      }),
    )
    const search = await storeOf(lines)
    const cut = await search({ text: 'word', limit: 10 })
    expect([cut.hits.length, cut.truncated]).toEqual([10, true])
    expect(cut.hits[0]).toMatchObject({ seq: 29 })
    expect(await search({ text: 'word', limit: 30 })).toMatchObject({ truncated: false })
    expect((await search({ text: 'word', run: 'r-1' })).hits).toHaveLength(10)
    const window = { since: '2031-03-04T09:10:00.000Z', until: '2031-03-04T09:20:00.000Z' }
    expect((await search({ text: 'word', ...window })).hits.map(({ seq }) => seq).sort()).toEqual([
      10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
    ])
  })

  it('does not take a field for content, and is not led astray by quotes', async () => {
    const search = await storeOf(lostKeyLog().map((event) => JSON.stringify(event)))
    expect((await search({ text: 'items_before' })).hits).toEqual([])
    expect((await search({ text: "'; DROP VIEW events; --" })).hits).toEqual([])
    expect((await search({ text: 'A-7' })).hits).not.toEqual([])
  })
})

describe('the forms of a text', () => {
  it('hold for every text: whoever writes it into JSON, plain or escaped, once or twice, is found', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'binary' }),
        (text, around) => {
          const value = { content: `${around}${text}${around}` }
          for (const write of [JSON.stringify, asciiJson]) {
            const once = write(value)
            const twice = write({ args: once })
            expect(formsOf(text, false).some((form) => once.includes(form))).toBe(true)
            expect(formsOf(text, false).some((form) => twice.includes(form))).toBe(true)
            expect(findInValue(JSON.parse(once), text, false)).toHaveLength(1)
            expect(findInValue(JSON.parse(twice), text, false)).toHaveLength(1)
          }
        },
      ),
    )
  })

  it('keep an excerpt short, with the text in it', () => {
    const [place] = findInValue({ a: [`${'x'.repeat(5000)}needle${'y'.repeat(5000)}`] }, 'needle', false)
    expect(place!.path).toBe('a[0]')
    expect(place!.excerpt).toBe(`…${'x'.repeat(60)}needle${'y'.repeat(60)}…`)
  })

  it('are found however deep they stand', () => {
    let value: unknown = 'needle'
    for (let n = 0; n < 20_000; n++) value = [value]
    expect(findInValue(value, 'needle', false)).toHaveLength(1)
  })
})
