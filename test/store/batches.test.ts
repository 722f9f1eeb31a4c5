import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../store/index.ts'
import { PackedLines, packLines, unpackLines } from '../../store/packed-lines.ts'
import { SharedMemory } from '../../store/shared-memory.ts'
import { line, newFolder, opened } from './folder.ts'

/** Lines are read at most 20,000 at a time. */
const BATCH = 20_000

const eventOf = (seq: number) => line({ run: `r${seq % 40}`, writer: 'w', seq })
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => eventOf(from + n))

describe('a file of several batches', () => {
  it('stores an event once, whether it comes again in the same reading or in a later one', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const first = join(folder, 'first.jsonl')
    writeFileSync(first, [...lines(0, BATCH + 500), ...lines(300, 900)].join(''))
    expect(await store.importPaths([first])).toMatchObject({ events: BATCH + 500, duplicates: 600 })
    const second = join(folder, 'second.jsonl')
    writeFileSync(second, [...lines(100, BATCH), ...lines(BATCH, 2 * BATCH), ...lines(0, 700)].join(''))
    expect(await store.importPaths([second])).toMatchObject({
      events: BATCH - 500,
      duplicates: BATCH - 100 + 500 + 700,
    })
    expect(
      await store.query('SELECT count(*) AS events, count(DISTINCT seq) AS different FROM events'),
    ).toEqual([{ events: 2 * BATCH, different: 2 * BATCH }])
  })

  it('keeps whole batches when the owner closes in between, and goes on behind them', async () => {
    const folder = newFolder()
    const spool = join(folder, 'spool')
    const store = await openStore(folder, { create: true })
    mkdirSync(spool, { recursive: true })
    writeFileSync(join(spool, 'host-1-1.jsonl'), lines(0, 3 * BATCH).join(''))
    let closing: Promise<void> | undefined
    const broken = store.ingest(() => {
      closing ??= store.close()
    })
    await expect(broken).rejects.toMatchObject({ code: 'owner-gone' })
    await closing
    const next = await opened(folder)
    const [{ events }] = (await next.query('SELECT count(*) AS events FROM events')) as [{ events: number }]
    expect(events).toBeGreaterThan(0)
    expect(events).toBeLessThan(3 * BATCH)
    expect(await next.ingest()).toMatchObject({ events: 3 * BATCH - events, duplicates: 0 })
  })
})

describe('packed lines', () => {
  it('are the lines again, however they were packed', () => {
    const text = fc.string({ unit: 'binary' }).map((one) => Buffer.from(one.replaceAll('\n', ' ')).toString())
    const memory = new SharedMemory()
    fc.assert(
      fc.property(fc.array(text), fc.nat(10_000), (texts, expected) => {
        const packed = new PackedLines(memory, expected)
        for (const one of texts) packed.add(Buffer.from(one))
        expect(unpackLines(packed.packed())).toEqual(texts)
        expect(unpackLines(packLines(texts))).toEqual(texts)
        expect(packed.bytes).toBe(packed.packed().length)
        // The next ones get memory with these in it.
        packed.drop()
        expect([packed.bytes, packed.capacity]).toEqual([0, 0])
      }),
    )
    const long = new PackedLines(new SharedMemory(), 0)
    for (let n = 0; n < 100; n++) long.add(Buffer.alloc(3000, 'x'))
    expect(unpackLines(long.packed())).toEqual(Array(100).fill('x'.repeat(3000)))
  })
})

describe('shared memory', () => {
  it('is used again, but not while somebody has it', () => {
    const memory = new SharedMemory()
    const first = memory.take(5000)
    const second = memory.take(5000)
    expect(first.length).toBe(8192)
    expect(second.buffer).not.toBe(first.buffer)
    memory.giveBack(first.subarray(10, 20))
    expect(memory.take(4097).buffer).toBe(first.buffer)
    expect(memory.take(4097).buffer).not.toBe(first.buffer)
    expect(memory.take(4096).length).toBe(4096)
  })
})
