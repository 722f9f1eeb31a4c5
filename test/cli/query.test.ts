import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCatalogue } from '../../queries/catalogue.ts'
import { REVIEW_QUESTIONS } from '../../queries/questions.ts'
import { AGGREGATES, dayOf, groupBy } from '../queries/expected.ts'
import { tellStories } from '../queries/story.ts'
import { BINARY, complaints, handspan, newFolder, writeLog } from './command.ts'

/* The real command over a store of stories whose every fact is known. */

const told = tellStories(12, 20)
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'handspan-query-'))
  const log = join(folder, 'stories.jsonl')
  writeFileSync(log, told.events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  mkdirSync(join(folder, '.handspan'))
  const ended = await handspan(['import', log], { cwd: folder })
  expect(ended.code).toBe(0)
})

afterAll(() => rmSync(folder, { recursive: true }))

const query = (...args: string[]) => handspan(['query', ...args], { cwd: folder })
const wanted = (name: string) => AGGREGATES[name]!(told.facts, told)!

describe('handspan query', () => {
  it('lists every metric', async () => {
    const { code, stdout } = await query()
    expect(code).toBe(0)
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => line.split(/\s/)[0])).toEqual(readCatalogue().map(({ name }) => name))
    const json = JSON.parse((await query('--json')).stdout)
    expect(json.metrics).toHaveLength(lines.length)
    expect(json.metrics[1]).toMatchObject({ name: 'key-coverage', columns: expect.any(Array) })
  })

  it('prints the metric as a table, as JSON, as CSV and as Markdown', async () => {
    const row = wanted('key-coverage')
    const table = (await query('key-coverage')).stdout.split('\n')
    expect(table[0]!.trim().split(/\s+/)).toEqual(['slice', ...Object.keys(row)])
    expect(table[1]!.trim().split(/\s+/)[3]).toBe(String(row.in_doubt))
    const json = JSON.parse((await query('key-coverage', '--format', 'json')).stdout)
    expect(json).toMatchObject({ command: 'query', metric: 'key-coverage', truncated: false, since: null })
    expect(json.rows).toHaveLength(1)
    expect(json.rows[0]).toMatchObject({ in_doubt: row.in_doubt, carried: row.carried })
    expect(json.columns[1]).toMatchObject({ name: 'value', unit: 'share', type: 'DOUBLE' })
    const csv = (await query('key-coverage', '--format', 'csv')).stdout.split('\r\n')
    expect(csv[1]!.split(',').slice(3, 5)).toEqual([String(row.in_doubt), String(row.carried)])
    expect((await query('key-coverage', '--format', 'md')).stdout).toMatch(/^\| slice \| value \|/)
  })

  it('writes Parquet into a file, and says so when it cannot', async () => {
    const file = join(folder, 'metric.parquet')
    expect(await query('handoffs', '--format', 'parquet', '--output', file)).toMatchObject({
      code: 0,
      stdout: '',
    })
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('PAR1')
    for (const format of ['parquet', 'table']) {
      const to = (place: string) => query('handoffs', '--format', format, '--output', join(folder, place))
      const none = `There is no folder ${join(folder, 'no/such')}.\nMake it, or name another place.`
      expect(await to('no/such/place')).toEqual({ code: 2, stdout: '', stderr: `handspan: ${none}\n` })
      const taken = `${join(folder, '.')} is a folder.\nName a file.`
      expect(await to('.')).toEqual({ code: 2, stdout: '', stderr: `handspan: ${taken}\n` })
    }
    expect(existsSync(join(folder, 'no'))).toBe(false)
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const piped = await query('handoffs', '--format', 'parquet', '--output', pipe)
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('it is not a file') })
    expect(statSync(pipe).isFIFO()).toBe(true)
    expect((await query('handoffs', '--format', 'parquet')).stderr).toContain('--output metric.parquet')
  })

  it('cuts what is too long, and says so', async () => {
    const ended = await query('key-drift', '--limit', '2')
    expect(ended.stdout.trim().split('\n')).toHaveLength(3)
    expect(ended.stderr).toContain('Cut after 2 rows. --limit sets another bound.')
    expect(JSON.parse((await query('key-drift', '--limit', '2', '--json')).stdout)).toMatchObject({
      truncated: true,
    })
  })

  it('draws a bar for each day', async () => {
    const { stdout } = await query('completeness', '--chart')
    const received = told.facts.filter(({ deliveries }) => deliveries > 0)
    const days = [...groupBy(received, ({ sentAt }) => dayOf(sentAt)).keys()].sort()
    const lines = stdout.trimEnd().split('\n').slice(1)
    expect(lines.map((line) => line.slice(0, 10))).toEqual(days)
    expect(lines.every((line) => line.includes('█'))).toBe(true)
  })

  it('prints the SQL of a metric for the DuckDB shell', async () => {
    const { stdout } = await query('leaks', '--sql')
    expect(stdout).toBe(readCatalogue().find(({ name }) => name === 'leaks')!.sql)
  })

  it('exits with 1 when the condition holds of a row, also of one that is not shown', async () => {
    const fine = await query('handoffs', '--fail-if', 'value < 1')
    expect([fine.code, complaints(fine.stderr)]).toEqual([0, ''])
    const failed = await query('key-coverage', '--fail-if', 'value < 0.99')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/^failed: value < 0\.99: value is 0\.\d+ for all$/m)
    const hidden = await query('key-drift', '--limit', '1', '--fail-if', "change = 'stays'")
    expect(hidden.code).toBe(1)
    expect(hidden.stdout.trim().split('\n')).toHaveLength(2)
    const empty = await query('key-coverage', '--since', '2040-01-01', '--fail-if', 'value < 1')
    expect(empty.code).toBe(0)
    expect(empty.stderr).toContain('Nothing to measure')
  })

  it('judges all rows, however many there are', async () => {
    // A metric with a row for each field of a record: the last one in its order is far behind all others.
    const wide = newFolder()
    const fields = Array.from({ length: 100_001 }, (_, index) => [`f${index}`, 1])
    const record = Object.fromEntries([...fields, ['zzz', 1]])
    const at = '2031-03-04T09:00:00Z'
    const sides = { handoff: 'h-1', from: 'a', to: 'b', at, run: 'r-1' }
    const log = writeLog(wide, 'log.jsonl', [
      { run: 'r-1', seq: 1, at, kind: 'run.start' },
      { ...sides, seq: 2, kind: 'handoff.sent', agent: 'a' },
      { ...sides, seq: 3, kind: 'handoff.received', agent: 'b', items: [], record },
    ])
    const dir = ['--dir', join(wide, 'captures')]
    await handspan(['import', log, ...dir])
    const judged = await handspan(['query', 'key-drift', '--fail-if', "field = 'record.zzz'", ...dir])
    expect(judged.code).toBe(1)
    expect(judged.stderr).toContain("failed: field = 'record.zzz': field is record.zzz for all")
    expect(judged.stdout).not.toContain('zzz')
  })

  it('takes a window shorter than a millisecond', async () => {
    const since = '2031-03-04T09:00:00.000Z'
    const ended = await query('handoffs', '--since', since, '--until', since.replace('Z', '500Z'))
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('Nothing to measure')])
  })

  it('goes on watching until the condition holds', async () => {
    const watched = newFolder()
    const spool = join(watched, '.handspan', 'spool')
    mkdirSync(spool, { recursive: true })
    const ended = handspan(['query', 'handoffs', '--watch', '1', '--fail-if', 'value > 0'], { cwd: watched })
    await new Promise((done) => setTimeout(done, 2500))
    const events = tellStories(5, 1).events.map((event) => `${JSON.stringify(event)}\n`)
    writeFileSync(join(spool, 'shop-1-1-1.jsonl'), events.join(''))
    const { code, stderr } = await ended
    expect(code).toBe(1)
    expect(stderr).toContain('failed: value > 0')
  })

  it('ends when it is interrupted, and leaves the store as it was', async () => {
    const child = spawn(process.execPath, [BINARY, 'query', 'handoffs', '--watch'], { cwd: folder })
    await new Promise((first) => child.stdout.once('data', first))
    child.kill('SIGINT')
    const code = await new Promise((closed) => child.on('close', closed))
    expect(code).toBe(130)
    expect((await query('handoffs')).code).toBe(0)
  })

  it.each([
    [['key-covrage'], "There is no metric 'key-covrage'.", 'Did you mean key-coverage?'],
    [['weather'], "There is no metric 'weather'.", ' query lists them all.'],
    [['leaks', '--since', 'yesterday'], '--since yesterday is no time.', '7d'],
    [['leaks', '--since', '1d', '--until', '2d'], '--since is not before --until', 'Exchange them.'],
    [['leaks', '--by', 'weekday'], '--by weekday is not known.', 'pair, agent, day, framework, style'],
    [['leaks', '--format', 'xml'], '--format xml is not known.', 'parquet'],
    [['leaks', '--limit', '0'], '--limit 0', 'from 1 on'],
    [['--fail-if', 'value > 0'], '--fail-if is for a metric, and none is named.', ' query lists'],
    [['leaks', '--json', '--format', 'csv'], '--json and --format csv say two things.', 'Leave one out.'],
    [['leaks', '--chart', '--json'], '--chart draws in the terminal', 'Leave one out.'],
    [['leaks', '--fail-if', 'score > 1'], "There is no column 'score'", 'slice, value, handoffs, leaking'],
    [['leaks', '--fail-if', 'value >'], 'is no condition', 'value < 0.99'],
  ])('%j is a mistake: exit code 2, what is wrong, and what to do', async (args, message, remedy) => {
    const ended = await query(...args)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).toContain(remedy)
  })
})

describe('the ten questions of docs/queries.md', () => {
  it('are ten', () => expect(REVIEW_QUESTIONS).toHaveLength(10))

  it.each(REVIEW_QUESTIONS)('$question', async ({ command }) => {
    // As a shell reads it: words, and one text in quotes.
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]!)
    expect(args[0]).toBe('handspan')
    // The stories are told of 2031; a window that ends now would not hold them.
    const asked = args.slice(1).filter((word, at, all) => word !== '--since' && all[at - 1] !== '--since')
    const ended = await handspan(asked, { cwd: folder })
    expect(ended.code).toBe(0)
    expect(ended.stdout.trim().split('\n').length).toBeGreaterThan(1)
    if (asked.length < args.length - 1) expect((await handspan(args.slice(1), { cwd: folder })).code).toBe(0)
  })
})
