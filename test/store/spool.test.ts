import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { line, newFolder, opened } from './folder.ts'

function newSpool() {
  const folder = newFolder()
  mkdirSync(join(folder, 'spool'))
  return { folder, segment: join(folder, 'spool', 'host-1-1-1.jsonl') }
}

describe('reading the spool', () => {
  it('reads what was added since the last time, and nothing twice', async () => {
    const { folder, segment } = newSpool()
    const store = await opened(folder)
    writeFileSync(segment, line({ run: 'a', seq: 1 }) + line({ run: 'a', seq: 2 }))
    expect(await store.ingest()).toMatchObject({ events: 2, segments: 1, pending: 0, runs: 1 })
    expect(await store.ingest()).toMatchObject({ events: 0, bytes: 0, runs: 0 })
    appendFileSync(segment, line({ run: 'b', seq: 3 }))
    expect(await store.ingest()).toMatchObject({ events: 1, runs: 1 })
    expect(await store.query('SELECT run, seq FROM events ORDER BY arrival')).toEqual([
      { run: 'a', seq: 1 },
      { run: 'a', seq: 2 },
      { run: 'b', seq: 3 },
    ])
  })

  it('lets a torn last line wait for its rest', async () => {
    const { folder, segment } = newSpool()
    const store = await opened(folder)
    const second = line({ run: 'a', seq: 2, content: 'naïve – 界' })
    const bytes = Buffer.from(second)
    // Cut inside a character of several bytes.
    const cut = bytes.indexOf(Buffer.from('界')) + 1
    writeFileSync(segment, Buffer.concat([Buffer.from(line({ run: 'a', seq: 1 })), bytes.subarray(0, cut)]))
    expect(await store.ingest()).toMatchObject({ events: 1, quarantined: 0, pending: cut })
    appendFileSync(segment, bytes.subarray(cut))
    expect(await store.ingest()).toMatchObject({ events: 1, quarantined: 0, pending: 0 })
    expect((await store.readRun('a'))[1]).toEqual(JSON.parse(second))
  })

  it('keeps equal lines without seq apart, and takes a line with seq that was written twice for one', async () => {
    const { folder, segment } = newSpool()
    const store = await opened(folder)
    const bare = line({ run: 'a', content: 'again' })
    const numbered = line({ run: 'a', seq: 7, content: 'again' })
    writeFileSync(segment, bare + bare + numbered + numbered)
    expect(await store.ingest()).toMatchObject({ events: 3, duplicates: 1 })
    appendFileSync(segment, bare + numbered)
    expect(await store.ingest()).toMatchObject({ events: 1, duplicates: 1 })
  })

  it('puts bad lines aside with their place and reason, and reads the rest', async () => {
    const { folder, segment } = newSpool()
    const store = await opened(folder)
    const first = line({ run: 'a', seq: 1 })
    const bad = ['{"run": "a", ', '[1]', '{"kind":"message"}', '{"run":"a","kind":"operation","op":[]}']
    writeFileSync(segment, `${first}${bad.join('\n')}\n\n${line({ run: 'a', seq: 2 })}`)
    expect(await store.ingest()).toMatchObject({ events: 2, quarantined: 4 })
    const rows = await store.query(
      'SELECT source, line_number, byte_offset, bytes, line, reason FROM quarantine ORDER BY ALL',
    )
    expect(rows.map(({ reason: _, ...place }) => place)).toEqual(
      bad.map((text, index) => ({
        source: 'host-1-1-1.jsonl',
        line_number: index + 2,
        byte_offset: Buffer.byteLength(
          first +
            bad
              .slice(0, index)
              .map((one) => `${one}\n`)
              .join(''),
        ),
        bytes: Buffer.byteLength(text),
        line: text,
      })),
    )
    expect(rows.map((row) => row.reason)).toEqual([
      expect.stringMatching(/^not valid JSON/),
      expect.stringMatching(/^not an object/),
      expect.stringMatching(/"run" is missing/),
      expect.stringMatching(/"op" of operation/),
    ])
    expect(await store.query('SELECT * EXCLUDE read_at FROM sources')).toEqual([
      {
        source: 'host-1-1-1.jsonl',
        kind: 'spool',
        bytes_read: expect.any(Number),
        lines_read: 7,
        events: 2,
        quarantined: 4,
      },
    ])
  })

  it('judges a run anew when more of it arrives, and only that run', async () => {
    const { folder, segment } = newSpool()
    const store = await opened(folder)
    writeFileSync(
      segment,
      line({ run: 'a', seq: 1, kind: 'run.start' }) + line({ run: 'b', seq: 2, kind: 'run.start' }),
    )
    await store.ingest()
    appendFileSync(
      segment,
      line({ run: 'a', seq: 3, kind: 'operation', op: 'o', tool: 't', effect: 'write', state: 'sent' }),
    )
    expect(await store.ingest()).toMatchObject({ runs: 1 })
    expect(await store.query('SELECT run, events, operations, in_doubt FROM runs ORDER BY run')).toEqual([
      { run: 'a', events: 2, operations: 1, in_doubt: 1 },
      { run: 'b', events: 1, operations: 0, in_doubt: 0 },
    ])
  })

  it('judges the run that was repeated again when its repetition arrives', async () => {
    const { folder, segment } = newSpool()
    const store = await opened(folder)
    writeFileSync(segment, line({ run: 'a', seq: 1, kind: 'run.start' }))
    expect(await store.ingest()).toMatchObject({ runs: 1 })
    appendFileSync(segment, line({ run: 'b', seq: 2, kind: 'run.start', replay_of: 'a' }))
    expect(await store.ingest()).toMatchObject({ runs: 2 })
  })
})
