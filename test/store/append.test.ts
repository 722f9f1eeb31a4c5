import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendRows, appendTables, type Columns, readColumns } from '../../store/append.ts'
import { type DuckDBConnection, DuckDBInstance } from '../../store/duckdb.ts'
import { packTable } from '../../store/packed-table.ts'
import { type Row, tableOf } from '../../store/table.ts'

// Every type that a table of the store has. What is appended is read back by DuckDB's own way of reading.

const TABLE = `CREATE TABLE base.kinds (
  row INTEGER NOT NULL, text VARCHAR, bytes VARCHAR, json JSON, small INTEGER, large BIGINT, whole BIGINT, hash UBIGINT,
  real DOUBLE, yes BOOLEAN, time TIMESTAMP, texts VARCHAR[], hashes UBIGINT[], counts MAP(VARCHAR, INTEGER)
)`

let instance: DuckDBInstance
let connection: DuckDBConnection
let columns: Columns

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run('CREATE SCHEMA base')
  await connection.run(TABLE)
  columns = await readColumns(connection)
})

afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

type Kinds = {
  text: string
  bytes: Uint8Array
  json: string
  small: number
  large: bigint
  whole: number
  hash: bigint
  real: number
  yes: boolean
  time: bigint
  texts: string[]
  hashes: bigint[]
  counts: { [key: string]: number }
}

// Up to, at and over the length at which a text no longer stands in the vector itself, in letters of one to four bytes.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary-ascii', minLength: 11, maxLength: 14 }),
  fc.constantFrom('', 'twelve bytes', 'thirteen byte', '\0', 'a\0b', 'é'.repeat(6), 'é'.repeat(7)),
)
const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const small = fc.integer()
const kinds: fc.Arbitrary<Partial<Kinds>> = fc.record(
  {
    text,
    bytes: text.map((value) => Buffer.from(value)),
    json: text.map((value) => JSON.stringify({ value })),
    small,
    large: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    whole: fc.maxSafeInteger(),
    hash,
    real: fc.double(),
    yes: fc.boolean(),
    time: fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }),
    texts: fc.array(text, { maxLength: 4 }),
    hashes: fc.array(hash, { maxLength: 4 }),
    counts: fc.dictionary(fc.string({ maxLength: 14 }), small, { maxKeys: 3 }),
  },
  { requiredKeys: [] },
)

/** Appends tables to an empty one, and reads them back as they were given. */
async function appended(tables: readonly (readonly Partial<Kinds>[])[]): Promise<Partial<Kinds>[]> {
  await connection.run('DELETE FROM base.kinds')
  let row = 0
  const packed = tables.map((rows) =>
    packTable(tableOf(rows.map((kinds) => ({ row: row++, ...kinds }) satisfies Row))),
  )
  await appendTables(connection, columns, 'kinds', packed)
  const result = await connection.runAndReadAll('SELECT * EXCLUDE row FROM base.kinds ORDER BY row')
  return result.getRowObjects().map(plain)
}

// biome-ignore lint/suspicious/noExplicitAny: whatever DuckDB answers
function plain(row: any): Partial<Kinds> {
  const kinds = {
    ...row,
    bytes: row.bytes === null ? null : Buffer.from(row.bytes),
    whole: row.whole === null ? null : Number(row.whole),
    time: row.time?.micros,
    texts: row.texts?.items,
    hashes: row.hashes?.items,
    counts: row.counts === null ? null : Object.fromEntries(row.counts.entries.map(pairOf)),
  }
  return Object.fromEntries(Object.entries(kinds).filter(([, value]) => (value ?? null) !== null))
}

function pairOf({ key, value }: { key: string; value: number }): [string, number] {
  return [key, value]
}

describe('append', () => {
  it('puts every value of every type in its row, whatever stands around it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(kinds, { maxLength: 20 }), { maxLength: 4 }), async (tables) => {
        expect(await appended(tables)).toEqual(tables.flat())
      }),
      { numRuns: 300 },
    )
  })

  it.each([1, 63, 64, 65, 2047, 2048, 2049, 5000])(
    'fills the vectors of %i rows one after the other',
    async (count) => {
      // Null in every third row, and a list that is longer than the vector that it stands in.
      const rows = Array.from(
        { length: count },
        (_, row): Partial<Kinds> =>
          row % 3 === 0
            ? {}
            : {
                text: `${row}`.repeat(row % 9),
                large: BigInt(row) * -(10n ** 14n),
                yes: row % 2 === 0,
                texts: Array.from(
                  { length: row === 1 ? 3000 : row % 3 },
                  (_, index) => `text ${row} of ${index}`,
                ),
                counts: row % 5 === 0 ? {} : { [`key ${row}`]: row },
              },
      )
      expect(await appended([rows])).toEqual(rows)
    },
  )

  it('writes a surrogate that stands alone as U+FFFD, and joins none with its neighbour', async () => {
    expect(await appended([[{ text: '\ud83d' }, { text: '\ude00' }, { text: 'x'.repeat(20) }]])).toEqual([
      { text: '\ufffd' },
      { text: '\ufffd' },
      { text: 'x'.repeat(20) },
    ])
  })

  it('keeps a text that is longer than any vector', async () => {
    const long = 'a line of a log, and another one\n'.repeat(300_000)
    expect(await appended([[{ text: 'before' }, { text: long }, { text: 'behind it' }]])).toEqual([
      { text: 'before' },
      { text: long },
      { text: 'behind it' },
    ])
  })

  it.each([
    ['small', 'a text'],
    ['small', 5n],
    ['text', 5],
    ['yes', 1],
    ['real', 5n],
    ['texts', 'a text'],
    ['counts', ['a text']],
    ['hashes', ['a text']],
  ])('refuses what is no value of the column %s', async (column, value) => {
    await connection.run('DELETE FROM base.kinds')
    await expect(appendRows(connection, columns, 'kinds', [{ row: 1, [column]: value }])).rejects.toThrow(
      TypeError,
    )
  })
})
