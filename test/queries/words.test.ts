import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConditionError, judgingSql, readCondition } from '../../queries/fail-if.ts'
import type { MetricColumn } from '../../queries/metric.ts'
import { readable, toCsv, toMarkdown } from '../../queries/text-formats.ts'
import { readTime } from '../../queries/time-window.ts'
import { writeParquet } from '../../queries/write-parquet.ts'
import type { QueryRow } from '../../store/index.ts'
import { newFolder } from '../store/folder.ts'

const COLUMNS: MetricColumn[] = [
  { name: 'slice', unit: 'text', meaning: 'what it is about' },
  { name: 'value', unit: 'share', meaning: 'good of all' },
  { name: 'time', unit: 'time', meaning: 'when' },
]

const column = (name: string, unit: MetricColumn['unit']): MetricColumn => ({ name, unit, meaning: name })

/** The values of the rows of which DuckDB says that a condition holds. */
async function failing(text: string, sql: string): Promise<unknown[]> {
  const condition = readCondition(text, COLUMNS)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const judging = judgingSql({ sql, columns: COLUMNS }, condition, 10)
  const [row] = (await connection.runAndReadAll(judging)).getRowObjectsJson()
  const first = (row!.first ?? []) as { value: unknown }[]
  expect(row!.failing).toBe(String(first.length))
  return first.map(({ value }) => value)
}

describe('a condition', () => {
  const rows = `-- as a metric's file is: a comment, and an end
FROM (VALUES ('other', 0.5::DOUBLE, NULL::TIMESTAMP), ('other', 0.99, '2031-03-04 09:00:00.5'), ('best', 1, NULL),
  ('other', NULL, '2031-03-05 09:00:00')) AS given(slice, value, time);
`

  it.each([
    ['value < 0.99', [0.5]],
    ['value <= 0.99', [0.5, 0.99]],
    ['value > .99', undefined],
    ['value > 0.99', [1]],
    ['value >= 0.99', [0.99, 1]],
    ['value = 1', [1]],
    ['value == 1', [1]],
    ['value != 1', [0.5, 0.99]],
    ['value <> 1', [0.5, 0.99]],
    ['VALUE<1e0', [0.5, 0.99]],
    ['value > -1', [0.5, 0.99, 1]],
    ["slice = 'best'", ['best']],
    ["time < '2031-03-05'", ['2031-03-04 09:00:00.5']],
    ["time = '2031-03-04T09:00:00.5Z'", ['2031-03-04 09:00:00.5']],
    ["time > '2031-03-04T09:00:00Z'", ['2031-03-04 09:00:00.5', '2031-03-05 09:00:00']],
    ["time < '2031-03-04T12:00:00+02:00'", ['2031-03-04 09:00:00.5']],
    ["time >= '2031-03-05T09:00:00Z'", ['2031-03-05 09:00:00']],
    ["time > '2031-03-05T09:00:00Z'", []],
  ])('%s holds of the rows it says, and never of an empty value', async (text, values) => {
    if (values === undefined) await expect(failing(text, rows)).rejects.toThrow(ConditionError)
    else expect(await failing(text, rows)).toEqual(values)
  })

  it('names a row by all that tells it from others', async () => {
    const columns = [
      ...COLUMNS.slice(0, 2),
      column('pair', 'text'),
      column('field', 'text'),
      column('n', 'count'),
    ]
    const sql = `FROM (VALUES ('all', 0.5, NULL, 'record', 3), ('all', 0.5, 'a → b', 'items', 3)) AS given(slice, value, pair, field, n)`
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const named = async (text: string) => {
      const judging = judgingSql({ sql, columns }, readCondition(text, columns), 10)
      const [row] = (await connection.runAndReadAll(judging)).getRowObjectsJson()
      return (row!.first as { slice: string }[]).map(({ slice }) => slice)
    }
    expect(await named('value < 1')).toEqual(['all, record', 'all, a → b, items'])
    expect(await named("field <> 'x'")).toEqual(['all', 'all, a → b'])
    connection.closeSync()
  })

  it.each([
    ['score < 1', "There is no column 'score' in this metric.", 'slice, value'],
    ['value', "'value' is no condition.", 'value < 0.99'],
    ['value < 1; DROP TABLE runs', 'is no condition', 'value < 0.99'],
    ["value < 'low'", 'The column value holds a number', 'without quotes'],
    ['slice < 1', 'The column slice holds text', "slice = 'text'"],
    ["time < 'next week'", "'next week' is no time.", '2031-03-04T09:00:00Z'],
  ])('%s is refused with what to write', (text, message, remedy) => {
    const error = thrownBy(() => readCondition(text, COLUMNS))
    expect(error).toBeInstanceOf(ConditionError)
    expect((error as ConditionError).message).toContain(message)
    expect((error as ConditionError).remedy).toContain(remedy)
  })

  it('is read or refused, whatever is given', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const error = thrownBy(() => readCondition(text, COLUMNS))
        expect(error === undefined || error instanceof ConditionError).toBe(true)
      }),
    )
  })
})

function thrownBy(act: () => unknown): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return error
  }
}

describe('an end of a window', () => {
  const now = new Date('2031-03-08T12:00:00Z')
  it.each([
    ['30m', '2031-03-08T11:30:00.000Z'],
    ['24h', '2031-03-07T12:00:00.000Z'],
    ['7d', '2031-03-01T12:00:00.000Z'],
    ['2w', '2031-02-22T12:00:00.000Z'],
    ['2031-03-04', '2031-03-04T00:00:00.000Z'],
    ['2031-03-04T09:00:00+02:00', '2031-03-04T07:00:00.000Z'],
    ['2031-03-04 09:00Z', '2031-03-04T09:00:00.000Z'],
    ['2031-03-04T09:00:00.0005+02:00', '2031-03-04T07:00:00.000500Z'],
    ['2031-03-04T09:00:00.1234567Z', '2031-03-04T09:00:00.123456Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2031-03-04T09:00:00.120000Z', '2031-03-04T09:00:00.120Z'],
    ['2031-03-04T09:00:00', undefined],
    ['2031-02-30T25:00:00Z', undefined],
    ['2031-02-30', undefined],
    ['2031-02-29T09:00:00Z', undefined],
    ['2032-02-29', '2032-02-29T00:00:00.000Z'],
    ['yesterday', undefined],
    ['999999999w', undefined],
    ['-7d', undefined],
    ['', undefined],
  ])('%s is %s', (text, time) => {
    expect(readTime(text, now)).toBe(time)
  })
})

const ANSWER = {
  columns: [
    { name: 'slice', type: 'VARCHAR' },
    { name: 'value', type: 'DOUBLE' },
    { name: 'total', type: 'HUGEINT' },
  ],
  rows: [
    { slice: 'a, "b"\n| c', value: 0.98765, total: 12 },
    { slice: '\u001b[31mred', value: null, total: 3 },
  ] as QueryRow[],
}

describe('formats', () => {
  it('CSV quotes what RFC 4180 says', () => {
    expect(toCsv(ANSWER)).toBe('slice,value,total\r\n"a, ""b""\n| c",0.98765,12\r\n\u001b[31mred,,3\r\n')
  })

  it('Markdown lets no captured text make a cell, a line, markup or a colour', () => {
    const text = toMarkdown(ANSWER, (name) =>
      name === 'slice' ? 'text' : name === 'value' ? 'share' : 'count',
    )
    const lines = text.trimEnd().split('\n')
    expect(lines.slice(0, 2)).toEqual(['| slice | value | total |', '|---|---:|---:|'])
    expect(lines).toHaveLength(4)
    expect(lines[2]).toContain('\\|')
    expect(lines[2]).toContain('| 0.988 | 12 |')
    expect(text).not.toContain('\u001b')
  })

  it('a number has as many digits as it says something with', () => {
    expect(readable(0.123456, 'share')).toBe('0.123')
    expect(readable(1234.56, 'ms')).toBe('1234.6')
    expect(readable(1_000_000, 'count')).toBe('1000000')
    expect(readable(null, 'share')).toBe('')
  })

  it('Parquet opens in plain DuckDB with the same rows, sums as whole numbers', async () => {
    const path = join(newFolder(), "it's.parquet")
    await writeParquet(ANSWER, path)
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('PAR1')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const result = await connection.runAndReadAll(`FROM read_parquet('${path.replace("'", "''")}')`)
    expect(result.getRowObjectsJS()).toEqual(
      ANSWER.rows.map((row) => ({ ...row, total: BigInt(Number(row.total)) })),
    )
    connection.closeSync()
    instance.closeSync()
  })
})
