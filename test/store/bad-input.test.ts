import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { line, newFolder, opened } from './folder.ts'

describe('bad input', () => {
  it('a line of 50 MB is read like any other', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const file = join(folder, 'log.jsonl')
    const stream = createWriteStream(file)
    stream.write(line({ run: 'a', seq: 1, content: 'x'.repeat(50 * 1024 * 1024) }))
    stream.end(line({ run: 'a', seq: 2, content: 'short' }))
    await finished(stream)
    expect(await store.importPaths([file])).toMatchObject({ events: 2, quarantined: 0 })
    expect(
      await store.query(
        'SELECT seq, length(text) AS length FROM messages JOIN events USING (run, time) WHERE step = seq - 1 ORDER BY seq',
      ),
    ).toEqual([
      { seq: 1, length: 50 * 1024 * 1024 },
      { seq: 2, length: 5 },
    ])
  })

  it('what JavaScript reads and DuckDB does not is kept, and fails no query', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const odd = [
      '{"run":"a","seq":1,"kind":"message","content":"\\ud800 alone"}',
      '{"run":"a","seq":2,"kind":"message","content":1e999}',
      `{"run":"a","seq":3,"kind":"message","content":${'['.repeat(500)}${']'.repeat(500)}}`,
      '{"run":"a","seq":4,"kind":"message","content":"a\\u0000b","__proto__":{"x":1}}',
      '{"run":"a","seq":5,"kind":"operation","op":"o","tool":"t","args":{"n":1e21,"s":"\\udc00"},"state":"sent"}',
      '{"run":"\\ud800","seq":6,"kind":"run.start","principal":{"id":"\\u001b[31m"}}',
    ]
    const file = join(folder, 'log.jsonl')
    writeFileSync(file, `${odd.join('\n')}\n{"run":"a","seq":7,"kind":"message","content":NaN}\n`)
    expect(await store.importPaths([file])).toMatchObject({ events: 6, quarantined: 1 })
    // One field of every body is read: a single line that DuckDB cannot read would fail the whole query.
    const rows = await store.query(`SELECT body->>'kind' AS kind FROM events WHERE run = 'a' ORDER BY seq`)
    expect(rows).toHaveLength(5)
    expect(await store.readRun('a')).toEqual(odd.slice(0, 5).map((text) => JSON.parse(text)))
    expect(await store.query(`SELECT args->>'n' AS n, args->>'s' AS s FROM operations`)).toEqual([
      { n: '1e21', s: '\ufffd' },
    ])
  })

  it('a run that cannot be analysed says so and holds up no other', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const file = join(folder, 'log.jsonl')
    // Deeper than any recursion: parsed by JavaScript, not written again by it.
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    writeFileSync(
      file,
      `{"run":"deep","seq":1,"kind":"operation","op":"o","tool":"t","args":${deep}}\n${line({ run: 'b', seq: 2 })}`,
    )
    expect(await store.importPaths([file])).toMatchObject({ runs: expect.any(Number) })
    expect(await store.query("SELECT run, events FROM runs WHERE run = 'b'")).toEqual([
      { run: 'b', events: 1 },
    ])
    const told = await store.query(
      "SELECT reason FROM not_judged WHERE check_id = '*' UNION ALL SELECT reason FROM quarantine",
    )
    expect(told).toHaveLength(1)
  })

  it('a run with a stored line that JavaScript cannot read is not judged, and says so; the others are', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const file = join(newFolder(), 'log.jsonl')
    writeFileSync(
      file,
      ['a', 'b'].map((run) => line({ run, seq: 1 }) + line({ run, seq: 2, kind: 'run.end' })).join(''),
    )
    await store.importPaths([file])
    await store.close()
    // Whatever changed it. DuckDB takes NaN for JSON.
    const instance = await DuckDBInstance.create(store.paths.database)
    const connection = await instance.connect()
    await connection.run(
      `UPDATE base.events SET line = '{"run":"a","seq":1,"kind":"message","content":NaN}' WHERE run = 'a' AND seq = 1`,
    )
    connection.closeSync()
    instance.closeSync()
    const again = await opened(folder)
    await again.rebuild()
    expect(await again.query('SELECT run, check_id FROM not_judged')).toEqual([{ run: 'a', check_id: '*' }])
    // What can be read of it counts.
    expect(await again.query('SELECT run, events FROM runs ORDER BY run')).toEqual([
      { run: 'a', events: 1 },
      { run: 'b', events: 2 },
    ])
    expect(await again.query("SELECT count(*) AS n FROM events WHERE run = 'a'")).toEqual([{ n: 2 }])
  })

  it('events in any order, twice, with clocks that step back, give the same run', async () => {
    const folder = newFolder()
    const events = [1, 2, 3, 4].map((seq) =>
      line({ run: 'a', seq, at: `2031-01-01T00:00:0${9 - seq}Z`, id: `m${seq}` }),
    )
    const store = await opened(join(folder, 'store'))
    const file = join(folder, 'log.jsonl')
    writeFileSync(file, [...events, ...events].reverse().join(''))
    expect(await store.importPaths([file])).toMatchObject({ events: 4, duplicates: 4 })
    expect(
      (await store.query('SELECT message FROM messages ORDER BY step')).map((row) => row.message),
    ).toEqual(['m1', 'm2', 'm3', 'm4'])
  })
})
