import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../store/index.ts'
import { line, newFolder, opened } from './folder.ts'
import { type Running, run } from './processes.ts'

describe('one owner at a time', () => {
  it('the second to open asks the first, and goes on alone when that one closes', async () => {
    const folder = newFolder()
    const first = await opened(folder)
    const second = await opened(folder)
    mkdirSync(join(folder, 'spool'))
    writeFileSync(join(folder, 'spool', 'h-1-1-1.jsonl'), line({ run: 'a', seq: 1 }))
    expect(await second.ingest()).toMatchObject({ events: 1 })
    expect(await first.readRun('a')).toEqual(await second.readRun('a'))
    await first.close()
    expect(await second.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }])
    expect(statSync(second.paths.socket).mode & 0o777).toBe(0o600)
    await second.close()
    expect(existsSync(second.paths.socket)).toBe(false)
    await expect(second.info()).rejects.toBeInstanceOf(StoreError)
  })

  it('answers the same to its own process and over the socket, errors and types included', async () => {
    const folder = newFolder()
    const stores = [await opened(folder), await opened(folder)]
    const sql = `SELECT 1::BIGINT AS small, 9007199254740993::BIGINT AS large, 1.50::DECIMAL(9,2) AS decimal,
      TIMESTAMP '2031-01-02 03:04:05.000006' AS time, DATE '2031-01-02' AS day, [1, NULL] AS list,
      {'a': 'x'} AS struct, MAP {'k': 2} AS map, '{"j": [true]}'::JSON AS json, 'nan'::DOUBLE AS nan,
      '\\x01\\x02'::BLOB AS blob, NULL AS nothing, $1 AS given`
    const rows = {
      small: 1,
      large: '9007199254740993',
      decimal: 1.5,
      time: '2031-01-02T03:04:05.000006Z',
      day: '2031-01-02',
      list: [1, null],
      struct: { a: 'x' },
      map: { k: 2 },
      json: { j: [true] },
      nan: 'NaN',
      blob: 'AQI=',
      nothing: null,
      given: 'ü',
    }
    for (const store of stores) {
      expect(await store.query(sql, ['ü'])).toEqual([rows])
      const error = await store.query('SELECT nonsense FROM runs').catch((reason) => reason)
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ code: 'query-failed', message: expect.stringContaining('nonsense') })
      const many = await store.query("SELECT range AS n, repeat('z', 200) AS z FROM range(5000)")
      expect(many.map((row) => row.n)).toEqual(Array.from({ length: 5000 }, (_, n) => n))
    }
  })

  it('finds its way when the path of the directory is too long for a socket', async () => {
    const folder = join(newFolder(), 'd'.repeat(120))
    const first = await opened(folder)
    const second = await opened(folder)
    expect(first.paths.socket.length).toBeLessThan(104)
    expect((await second.info()).owner).toBe(process.pid)
  })

  it('passes on when owners are killed, and every contender goes on getting answers', {
    timeout: 120_000,
  }, async () => {
    const folder = newFolder()
    const contenders: Running[] = await Promise.all(Array.from({ length: 5 }, () => run('contend', folder)))
    const owners = new Set<number>()
    for (let round = 0; round < 6; round++) {
      // Two answers of each: the second one was asked for after whatever happened before.
      const said = await Promise.all(contenders.map(async (one) => (await one.next()) && one.next()))
      const pids = contenders.map((one) => one.process.pid)
      // An answer from the moment before the kill may still name the one that is gone; ask until the living agree.
      let owner = said[0]!.owner as number
      while (!pids.includes(owner)) owner = (await contenders[0]!.next())!.owner as number
      owners.add(owner)
      if (contenders.length > 2) {
        const index = pids.indexOf(owner)
        await contenders[index]!.kill()
        contenders.splice(index, 1)
      }
      contenders.push(await run('contend', folder))
    }
    expect(owners.size).toBeGreaterThan(4)
    for (const contender of contenders) await contender.kill()
    const store = await opened(folder)
    expect((await store.info()).owner).toBe(process.pid)
  })
})
