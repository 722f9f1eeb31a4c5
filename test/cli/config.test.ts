import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBaseline, writeBaseline } from '../../cli/baseline.ts'
import { loadConfig } from '../../cli/config/load.ts'
import { type JudgeOptions, judgeRuns } from '../../cli/judge.ts'
import type { JudgedRun, Report, Totals } from '../../cli/report/report.ts'
import { checks } from '../../replay/catalogue/index.ts'
import { handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

const LOST = 'op-in-doubt-key-missing'

function writeConfig(content: unknown, name = 'handspan.config.json'): string {
  const folder = newFolder()
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return folder
}

const refusal = (folder: string) =>
  loadConfig(undefined, folder).then(String, (error: Error) => error.message)

describe('the configuration', () => {
  it('is found upwards from the working directory, or named', async () => {
    const folder = writeConfig({ severities: { [LOST]: 'warning' } })
    const below = join(folder, 'a/b')
    mkdirSync(below, { recursive: true })
    const found = await loadConfig(undefined, below)
    expect(found).toEqual({
      file: join(folder, 'handspan.config.json'),
      settings: { severities: { [LOST]: 'warning' } },
      suppressions: [],
    })
    expect(await loadConfig('../../handspan.config.json', below)).toEqual(found)
    expect(await loadConfig(undefined, newFolder())).toEqual({ settings: {}, suppressions: [] })
  })

  it('may be a module, with regular expressions', async () => {
    const source = `export default {
      thresholds: { 'payload-growth': { factor: 4 } },
      effects: { read: ['get_*'] },
      keys: { pay: ['reference'] },
      detectors: { iban: { pattern: /[A-Z]{2}\\d{20}/ }, ours: { values: ['a.b+c'] }, text: { pattern: 'KD-\\\\d+' } },
      suppressions: [{ check: '${LOST}', agents: ['billing'], reason: 'ticket 4', until: '2031-02-03' }],
    }`
    const { settings, suppressions } = await loadConfig(undefined, writeConfig(source, 'handspan.config.mjs'))
    expect(settings.thresholds).toEqual({ 'payload-growth': { factor: 4 } })
    expect(suppressions[0]).toMatchObject({ agents: ['billing'], until: '2031-02-03' })
    const matches = (text: string) =>
      settings.detectors!.flatMap(({ name, pattern }) =>
        [...text.matchAll(pattern)].map(([value]) => `${name} ${value}`),
      )
    expect(matches('DE02120300000000202051 KD-7 KD-8 a.b+c axbbc')).toEqual([
      'iban DE02120300000000202051',
      'ours a.b+c',
      'text KD-7',
      'text KD-8',
    ])
  })

  it('takes every check that there is, by its id', async () => {
    const severities = Object.fromEntries(checks.map(({ id }) => [id, 'off']))
    expect((await loadConfig(undefined, writeConfig({ severities }))).settings.severities).toEqual(severities)
  })

  it.each<[string, unknown, string[]]>([
    [
      'an unknown check',
      { severities: { 'op-in-doubt-key-mising': 'off' } },
      ['severities.op-in-doubt-key-mising', `Did you mean ${LOST}?`],
    ],
    ['a misspelt field', { severitys: {} }, ['"severitys"', 'Did you mean severities?']],
    [
      'a misspelt field further down',
      { thresholds: { 'payload-growth': { faktor: 3 } } },
      ['thresholds.payload-growth', '"faktor"', 'factor'],
    ],
    ['a field that is like no other', { zzzzzzzz: 1 }, ['"zzzzzzzz"', 'Known: severities, thresholds']],
    [
      'a severity that is none',
      { severities: { [LOST]: 'fatal' } },
      [`severities.${LOST}`, '"fatal"', 'error, warning, info, off'],
    ],
    [
      'a limit of the wrong type',
      { thresholds: { 'payload-too-large': { tokens: '9' } } },
      ['thresholds.payload-too-large.tokens'],
    ],
    [
      'a suppression without a reason',
      { suppressions: [{ check: LOST, until: '2031-02-03' }] },
      ['suppressions.0.reason'],
    ],
    [
      'a suppression without an end',
      { suppressions: [{ check: LOST, reason: 'x' }] },
      ['suppressions.0.until', 'YYYY-MM-DD'],
    ],
    [
      'a day that does not exist',
      { suppressions: [{ check: LOST, reason: 'x', until: '2031-02-30' }] },
      ['suppressions.0.until'],
    ],
    [
      'a suppression of everything',
      { suppressions: [{ reason: 'x', until: '2031-02-03' }] },
      ['suppressions.0', '"check"'],
    ],
    [
      'a suppression of an unknown check',
      { suppressions: [{ check: 'op-alterd', reason: 'x', until: '2031-02-03' }] },
      ['suppressions.0.check', 'Did you mean op-altered?'],
    ],
    [
      'a pattern that is none',
      { detectors: { iban: { pattern: '(' } } },
      ['detectors.iban.pattern', 'not a regular expression'],
    ],
    ['a detector without either', { detectors: { iban: {} } }, ['detectors.iban', '"pattern"']],
    ['text that is not JSON', '{', ['not valid JSON']],
  ])('names file and field of %s', async (_, content, words) => {
    const folder = writeConfig(content)
    const message = await refusal(folder)
    for (const word of [join(folder, 'handspan.config.json'), ...words]) expect(message).toContain(word)
  })

  it('says so if two files compete, a module exports nothing, or a named file is missing', async () => {
    const folder = writeConfig({})
    writeFileSync(join(folder, 'handspan.config.mjs'), 'export const config = {}')
    expect(await refusal(folder)).toContain('handspan.config.mjs and handspan.config.json')
    const named = (name: string) => loadConfig(name, folder).then(String, (error: Error) => error.message)
    expect(await named('handspan.config.mjs')).toContain('has no default export')
    expect(await named('missing.mjs')).toMatch(/missing\.mjs does not exist\.$/)
    expect(await named('missing.json')).toMatch(/missing\.json does not exist\.$/)
    expect(await named('.')).toBe(`${folder} is a folder.`)
  })
})

/** Judges in this process and keeps what a report is told. */
async function judged(file: string, options: Partial<JudgeOptions> = {}) {
  const runs: JudgedRun[] = []
  let totals: Totals | undefined
  const report: Report = {
    add: (run) => void runs.push(run),
    end: (all) => {
      totals = all
    },
  }
  const { failed, accepted } = await judgeRuns(
    [file],
    { dir: newFolder(), failOn: 'error', ...options },
    report,
  )
  return { failed, accepted, runs, totals: totals! }
}

describe('the baseline', () => {
  it('holds what is known: only what is new counts', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'a.jsonl', lostKeyLog('r-a'))
    const baseline = join(folder, 'known.json')
    expect((await judged(file)).failed).toBe(true)
    const updated = await judged(file, { baseline, updateBaseline: true })
    expect(updated.failed).toBe(false)
    expect(updated.accepted).toBeGreaterThan(0)

    // The same fault in another run is known; the same fault between other agents is not.
    const again = writeLog(folder, 'b.jsonl', lostKeyLog('r-b'))
    const known = await judged(again, { baseline, failOn: 'new' })
    expect(known.failed).toBe(false)
    expect(known.totals.baseline).toEqual({ file: baseline, known: updated.accepted, gone: 0 })
    expect(known.runs[0]!.analysis.findings.every(known.runs[0]!.isKnown)).toBe(true)
    const other = writeLog(folder, 'c.jsonl', lostKeyLog('r-c', { agent: 'returns' }))
    expect(await judged(other, { baseline })).toMatchObject({ failed: true })
    expect(await judged(other, { baseline, failOn: 'new' })).toMatchObject({ failed: true })
    expect((await judged(other, { baseline })).totals.baseline).toMatchObject({
      known: 0,
      gone: updated.accepted,
    })
  })

  it('is the same text for the same findings, and holds no run, time or content', async () => {
    const folder = newFolder()
    const texts = await Promise.all(
      ['r-a', 'r-b'].map(async (run) => {
        const baseline = join(folder, `${run}.json`)
        await judged(writeLog(folder, `${run}.jsonl`, lostKeyLog(run)), { baseline, updateBaseline: true })
        return readFileSync(baseline, 'utf8')
      }),
    )
    expect(texts[1]).toBe(texts[0])
    expect(texts[0]).not.toMatch(/r-a|2031|Reserving|o7:2/)
    expect(JSON.parse(texts[0]!).findings.map(({ check }: { check: string }) => check)).toContain(LOST)
  })

  it('of another version, another kind or nowhere is an error that says what to do', async () => {
    const folder = newFolder()
    const path = join(folder, 'known.json')
    const read = (content: string) => {
      writeFileSync(path, content)
      return readBaseline(path, { create: true }).then(String, (error: Error) => error.message)
    }
    expect(await read('{"handspan": {"baseline": 2}, "findings": []}')).toContain('another version')
    expect(await read('{"findings": []}')).toContain('is not a baseline')
    expect(await read('[')).toContain('not valid JSON')
    const missing = join(folder, 'missing.json')
    await expect(readBaseline(missing, { create: false })).rejects.toThrow(`${missing} does not exist.`)
    expect((await readBaseline(missing, { create: true })).fingerprints.size).toBe(0)
    await expect(readBaseline(folder, { create: true })).rejects.toThrow(`${folder} is a folder.`)
    await expect(writeBaseline(join(folder, 'no/such/folder.json'), [])).rejects.toThrow(
      `There is no folder ${join(folder, 'no/such')}.`,
    )
  })
})

describe('handspan check with a configuration', () => {
  it('does not count what is suppressed, and says when a suppression has ended', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'a.jsonl', lostKeyLog())
    const config = (until: string) => {
      const path = join(folder, 'handspan.config.json')
      writeFileSync(
        path,
        JSON.stringify({ suppressions: [{ agents: ['orders'], reason: 'ticket 4', until }] }),
      )
      return path
    }
    const standing = await judged(file, { config: config('2999-01-01') })
    expect(standing.failed).toBe(false)
    expect(standing.runs[0]!.suppressed.map(({ check }) => check)).toContain(LOST)
    config('2020-01-01')
    const ended = await handspan(['check', file, '--json'], { cwd: folder })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('ended on 2020-01-01 and no longer holds: ticket 4')
  })

  it('counts what is suppressed nowhere and shows it everywhere, of files and of the store', async () => {
    const cwd = newFolder()
    const file = writeLog(cwd, 'a.jsonl', lostKeyLog())
    const suppression = { check: LOST, reason: 'ticket 4', until: '2999-01-01' }
    writeFileSync(join(cwd, 'handspan.config.json'), JSON.stringify({ suppressions: [suppression] }))
    const answer = async (...args: string[]) =>
      JSON.parse((await handspan([...args, '--json'], { cwd })).stdout)
    await handspan(['import', file], { cwd })
    const row = { errors: 0, warnings: 0, findings: 0, worst: null, suppressed: 1 }
    expect((await answer('runs')).runs).toEqual([expect.objectContaining(row)])
    for (const of of [[], [file]]) {
      expect(await answer('findings', ...of)).toMatchObject({
        findings: [],
        total: 0,
        suppressed: [{ check: LOST, suppressed: { reason: 'ticket 4', until: '2999-01-01' } }],
        totalSuppressed: 1,
      })
    }
    for (const command of ['findings', 'replay', 'diff', 'check']) {
      const { stdout } = await handspan([command, file], { cwd })
      expect(stdout).toContain(`1 finding of ${LOST} suppressed until 2999-01-01: ticket 4`)
      expect(stdout).not.toMatch(/^error /m)
    }
    // Without it the style solves what is suppressed here.
    expect((await answer('what-if', file, '--style', 'record')).total).toMatchObject({ solved: 0, new: 0 })
  })

  it('answers a configuration that cannot be used with 2', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'a.jsonl', lostKeyLog())
    writeFileSync(join(folder, 'handspan.config.ts'), 'export default { severitys: {} } satisfies object')
    const { code, stderr } = await handspan(['check', file], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toMatch(/handspan\.config\.ts: (Node .* cannot load TypeScript|.*"severitys")/)
    const without = await handspan(['check', file, '--fail-on', 'new'], { cwd: newFolder() })
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('--baseline FILE')
  })
})
