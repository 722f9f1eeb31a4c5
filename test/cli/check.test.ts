import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

const CASES = resolve(import.meta.dirname, '../cases')

type Checked = {
  handspan: { format: number; version: string }
  runs: { run: string; findings: Record<string, unknown>[]; notJudged: unknown[] }[]
  refused: { file: string; line: number; reason: string }[]
}

describe('handspan check', () => {
  it('prints findings per run in the form that other tools rely on, and exits with 1', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'lost.jsonl', lostKeyLog())
    const { code, stdout } = await handspan(['check', file, '--json'], { cwd: folder })
    expect(code).toBe(1)
    const { handspan: envelope, runs } = JSON.parse(stdout) as Checked
    expect(envelope).toEqual({ format: 1, version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ run: 'r-lost', notJudged: [] })
    const finding = runs[0]!.findings.find(({ check }) => check === 'op-in-doubt-key-missing')
    expect(finding).toEqual({
      check: 'op-in-doubt-key-missing',
      severity: 'error',
      run: 'r-lost',
      handoff: 'h1',
      attempt: 1,
      agents: ['orders', 'billing'],
      subject: { kind: 'operation', id: 'op-2' },
      message: expect.stringContaining('o7:2'),
      evidence: expect.arrayContaining([
        expect.objectContaining({ side: 'sender' }),
        expect.objectContaining({ side: 'receiver' }),
      ]),
      remedy: expect.stringContaining('open_operations'),
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
  })

  it('needs no database and makes none', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'lost.jsonl', lostKeyLog())
    await handspan(['check', file], { cwd: folder })
    const { code } = await handspan(['runs'], { cwd: folder })
    expect(code).toBe(2)
  })

  it('gives the same fingerprint for the same fault in another run', async () => {
    const folder = newFolder()
    const a = writeLog(folder, 'a.jsonl', lostKeyLog('r-a'))
    const later = lostKeyLog('r-b').map((event) => ({
      ...event,
      at: (event as { at: string }).at.replace('2031', '2032'),
    }))
    const b = writeLog(folder, 'b.jsonl', later)
    const { stdout } = await handspan(['check', a, b, '--json'])
    const { runs } = JSON.parse(stdout) as Checked
    const prints = runs.map(({ findings }) => findings.map(({ fingerprint }) => fingerprint))
    expect(prints[0]!.length).toBeGreaterThan(0)
    expect(prints[1]).toEqual(prints[0])
  })

  it('exits with 0 for a clean run, and for warnings only unless told otherwise', async () => {
    const clean = join(CASES, 'controls/17-both-results-cross.jsonl')
    expect((await handspan(['check', clean])).code).toBe(0)
    expect((await handspan(['check', clean, '--fail-on', 'warning'])).code).toBe(0)
    const lost = writeLog(newFolder(), 'lost.jsonl', lostKeyLog())
    expect((await handspan(['check', lost, '--fail-on', 'warning'])).code).toBe(1)
  })

  it('judges several files together: a run and the one that it repeats', async () => {
    const files = ['65-roster-order-shuffles-a.jsonl', '65-roster-order-shuffles-b.jsonl'].map((name) =>
      join(CASES, name),
    )
    const together = JSON.parse((await handspan(['check', ...files, '--json'])).stdout) as Checked
    expect(together.runs.map(({ run }) => run)).toEqual(['r-65', 'r-65b'])
    const found = together.runs.flatMap(({ findings }) => findings.map(({ check }) => check))
    expect(found).toContain('payload-nondeterministic')
    const alone = JSON.parse((await handspan(['check', files[1]!, '--json'])).stdout) as Checked
    expect(alone.runs.flatMap(({ findings }) => findings)).toEqual([])
  })

  it('reads stdin and directories', async () => {
    const log = lostKeyLog()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join('')
    expect((await handspan(['check', '-'], { input: log })).code).toBe(1)
    const folder = newFolder()
    cpSync(join(CASES, 'controls'), join(folder, 'logs/below'), { recursive: true })
    const [moved] = readdirSync(join(folder, 'logs/below'))
    renameSync(join(folder, 'logs/below', moved!), join(folder, 'logs/other.ndjson'))
    const { code, stdout } = await handspan(['check', join(folder, 'logs')])
    expect(code).toBe(0)
    expect(stdout.match(/no findings/g)).toHaveLength(7)
  })

  it('names file, line and field of what it cannot read, and judges the rest', async () => {
    const folder = newFolder()
    const [start, ...rest] = lostKeyLog()
    const file = writeLog(folder, 'mixed.jsonl', [
      start!,
      '{"run": "r-lost", "kind"',
      '[]',
      { run: 'r-lost' },
      { run: 'r-lost', kind: 'operation' },
      ...rest,
    ])
    const { code, stdout, stderr } = await handspan(['check', file, '--json'])
    expect(code).toBe(1)
    const { refused, runs } = JSON.parse(stdout) as Checked
    expect(refused.map(({ line }) => line)).toEqual([2, 3, 4, 5])
    expect(refused[2]!.reason).toContain('"kind"')
    expect(refused[3]!.reason).toContain('"op"')
    expect(stderr).toContain(`${file}:2:`)
    expect(runs[0]!.findings.map(({ check }) => check)).toContain('op-in-doubt-key-missing')
  })

  it('reads the rest of an event of which a field has another form, and says so, from a file as from the store', async () => {
    const folder = newFolder()
    const events = (lostKeyLog() as { kind: string; handoff?: string }[]).map((event) =>
      event.kind === 'handoff.sent' ? { ...event, policy: 'all of it' } : event,
    )
    const file = writeLog(folder, 'odd.jsonl', events)
    const step = events.findIndex(({ kind }) => kind === 'handoff.sent') + 1
    const said = `not judged: * ${events[step - 1]!.handoff}: event ${step}: field "policy" of handoff.sent: expected object, received string; it is left out`
    const read = await handspan(['check', file])
    expect(read.stdout).toContain(said)
    expect(read.stdout).toContain('op-in-doubt-key-missing')
    await handspan(['import', file, '--dir', folder])
    const stored = await handspan(['check', 'r-lost', '--dir', folder])
    expect(stored.stdout).toContain(said)
    const { stdout } = await handspan([
      'sql',
      '--dir',
      folder,
      '--json',
      'SELECT reason FROM not_judged WHERE check_id = $$*$$',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ rows: [{ reason: said.slice(said.indexOf('event')) }] })
  })

  it('says what is wrong with a file that holds no event, one that is not there and an option it does not know', async () => {
    const folder = newFolder()
    const empty = writeLog(folder, 'none.jsonl', ['not json'])
    const none = await handspan(['check', empty])
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('none.jsonl:1: not valid JSON')
    const missing = await handspan(['check', join(folder, 'missing.jsonl'), '--dir', folder])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('missing.jsonl')
    expect((await handspan(['check', empty, '--fail-on', 'sometimes'])).code).toBe(2)
  })

  it('judges what it can of several files and runs, names the others and ends with 2', async () => {
    const folder = newFolder()
    const missing = join(folder, 'missing.jsonl')
    const none = join(folder, 'none')
    mkdirSync(none)
    const sound = writeLog(folder, 'sound.jsonl', lostKeyLog())
    const dir = ['--dir', join(folder, 'captures')]
    await handspan(['import', writeLog(folder, 'stored.jsonl', lostKeyLog('r-stored')), ...dir])
    const names = [missing, none, sound, 'r-typo', 'r-stored']
    const { code, stdout, stderr } = await handspan(['check', ...names, ...dir, '--json'])
    expect(code).toBe(2)
    const { runs, unread } = JSON.parse(stdout) as Checked & { unread: { file: string; reason: string }[] }
    expect(runs.map(({ run }) => run)).toEqual(['r-lost', 'r-stored'])
    expect(unread.map(({ file }) => file)).toEqual([missing, none, 'r-typo'])
    for (const { reason } of unread) expect(stderr).toContain(`handspan: ${reason}\n`)
    // A remedy is to be pasted, also where the command goes on.
    expect(stderr).toMatch(/runs --dir \S+captures lists the runs/)
    // Where the store is missing, the files are judged all the same.
    const without = await handspan(['check', sound, 'r-typo', '--json', '--dir', join(folder, 'nowhere')])
    expect(without.code).toBe(2)
    expect(JSON.parse(without.stdout)).toMatchObject({
      runs: [{ run: 'r-lost' }],
      unread: [{ file: 'r-typo' }],
    })
  })

  it('ends with 2, as import does, where one file of a folder holds no event, and judges the others', async () => {
    const logs = join(newFolder(), 'logs')
    mkdirSync(logs)
    writeLog(logs, 'a.jsonl', [{ run: 'r-1', kind: 'run.start' }])
    const none = writeLog(logs, 'b.jsonl', ['no event', '{"a": 1}'])
    // A line among good ones, and a log that nobody has written to yet, are no reason.
    writeLog(logs, 'c.jsonl', [{ run: 'r-2', kind: 'run.start' }, 'no event'])
    writeLog(logs, 'd.jsonl', [])
    const dir = ['--json', '--dir', join(logs, 'captures')]
    for (const args of [
      ['check', logs],
      ['what-if', logs, '--style', 'full'],
      ['import', logs],
    ]) {
      const { code, stdout } = await handspan([...args, ...dir])
      const { unread } = JSON.parse(stdout)
      expect([args[0], code, unread]).toEqual([
        args[0],
        2,
        [
          {
            file: none,
            reason: expect.stringContaining('none of its 2 lines is '),
            remedy: expect.any(String),
          },
        ],
      ])
    }
    const { stdout, stderr } = await handspan(['check', logs, ...dir])
    expect((JSON.parse(stdout) as Checked).runs.map(({ run }) => run)).toEqual(['r-1', 'r-2'])
    expect(stderr.match(/holds nothing that can be read/g)).toHaveLength(1)
  })

  it('names the first lines of a file of another kind, and says how many there were', async () => {
    const folder = newFolder()
    const words = (count: number) => writeLog(folder, `${count}.txt`, Array(count).fill('no event'))
    const many = await handspan(['check', words(500)])
    expect(many.code).toBe(2)
    expect(many.stderr.split('\n').length).toBeLessThan(20)
    expect(many.stderr).toContain('500.txt:10: not valid JSON')
    expect(many.stderr).toContain('500 lines could not be read and were not judged.')
    expect(many.stderr).toMatch(/import takes in spans that others wrote/)
    expect((await handspan(['check', words(1)])).stderr).toContain(
      '1 line could not be read and was not judged.',
    )
  })

  it('takes stdin that is named twice as a file that is', async () => {
    const input = lostKeyLog()
      .map((event) => JSON.stringify(event))
      .join('\n')
    const { code, stdout } = await handspan(['check', '-', '-', '--json'], { input })
    expect(code).toBe(1)
    expect((JSON.parse(stdout) as Checked).runs.map(({ run }) => run)).toEqual(['r-lost'])
    const compared = await handspan(['compare', '-', '-'], { input })
    expect([compared.code, compared.stdout]).toEqual([
      0,
      expect.stringContaining('Both receivers got the same.'),
    ])
  })

  it('says once of a log in UTF-16 what it is, also of stdin, and reads over the mark of UTF-8', async () => {
    const folder = newFolder()
    const text = lostKeyLog()
      .map((event) => JSON.stringify(event))
      .join('\n')
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le')
    const files = { 'le.jsonl': wide, 'be.jsonl': Buffer.from(wide).swap16(), 'other.log': wide }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
    const paths = Object.keys(files).map((name) => join(folder, name))
    const dir = ['--dir', join(folder, 'captures')]
    const wants = (names: string[]) =>
      names.map((name) => `handspan: ${name} is written in UTF-16.\nSave it as UTF-8.\n`).join('')
    const checked = await handspan(['check', ...paths, ...dir])
    expect([checked.code, checked.stderr]).toEqual([2, wants(paths)])
    const taken = await handspan(['import', ...paths, ...dir])
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(wants(paths))])
    const piped = await handspan(['check', '-', ...dir], { input: wide })
    expect([piped.code, piped.stderr]).toEqual([2, wants(['stdin'])])

    const marked = Buffer.from(`\ufeff${text}`)
    writeFileSync(join(folder, 'marked.jsonl'), marked)
    for (const [name, input] of [
      [join(folder, 'marked.jsonl'), ''],
      ['-', marked],
    ] as const) {
      const { stdout, stderr } = await handspan(['check', name, '--json'], { input })
      expect([(JSON.parse(stdout) as Checked).runs.map(({ run }) => run), stderr]).toEqual([['r-lost'], ''])
    }
  })

  it('says of an export of spans, and of another document, what it is instead of what its lines are not', async () => {
    const folder = newFolder()
    const spans = join(folder, 'spans.json')
    cpSync(resolve(CASES, '../importers/traces/triage.openinference.otlp.json'), spans)
    const other = writeLog(folder, 'package.json', ['{', '"name": "shop"', '}'])
    const log = writeLog(folder, 'log.json', lostKeyLog())
    const dir = ['--dir', join(folder, 'captures')]
    const { code, stdout, stderr } = await handspan(['check', spans, other, log, '--json', ...dir])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^handspan: \S+spans\.json holds spans, which are judged in the store\.\n.* import --dir \S+ takes them in\.\nhandspan: \S+package\.json is one JSON document and no run log\.\nA run log holds .*\n$/,
      ),
    ])
    expect((JSON.parse(stdout) as Checked).runs.map(({ run }) => run)).toEqual(['r-lost'])
  })

  it('does not wait for a pipe, and says how to read one', async () => {
    const pipe = join(newFolder(), 'pipe.jsonl')
    execFileSync('mkfifo', [pipe])
    const { code, stderr } = await handspan(['check', pipe])
    expect(code).toBe(2)
    expect(stderr).toBe(
      `handspan: ${pipe} is no file but a pipe.\nPipe what it gives into the command, and name - for it.\n`,
    )
  })

  it('leaves a baseline as it is when not everything could be read', async () => {
    const folder = newFolder()
    const sound = writeLog(folder, 'sound.jsonl', lostKeyLog())
    const baseline = ['--baseline', join(folder, 'known.json'), '--update-baseline']
    expect((await handspan(['check', sound, ...baseline])).code).toBe(0)
    const before = readFileSync(join(folder, 'known.json'), 'utf8')
    const clean = writeLog(folder, 'clean.jsonl', [{ run: 'r-1', kind: 'run.start' }])
    const { code, stderr } = await handspan(['check', clean, join(folder, 'gone.jsonl'), ...baseline])
    expect(code).toBe(2)
    expect(stderr).toContain('known.json stays as it was')
    expect(readFileSync(join(folder, 'known.json'), 'utf8')).toBe(before)
  })

  it('raises in every public case what is expected of it, and nothing in the controls', async () => {
    const { cases, controls } = JSON.parse(readFileSync(join(CASES, 'cases.json'), 'utf8')) as Record<
      'cases' | 'controls',
      { files: string[]; expect: string[] }[]
    >
    const judge = async (files: string[]) => {
      const { runs } = JSON.parse((await handspan(['check', ...files, '--json'])).stdout) as Checked
      return new Map(runs.map(({ run, findings }) => [run, findings.map(({ check }) => check as string)]))
    }
    const found = await judge(cases.flatMap(({ files }) => files.map((file) => join(CASES, file))))
    const missing = cases.flatMap(({ files, expect: expected }) => {
      const runs = files.map(
        (file) => JSON.parse(readFileSync(join(CASES, file), 'utf8').split('\n')[0]!).run as string,
      )
      const raised = runs.flatMap((run) => found.get(run) ?? [])
      return expected.filter((id) => !raised.includes(id)).map((id) => `${files[0]}: ${id}`)
    })
    expect(missing).toEqual([])
    const clean = await judge(
      controls.flatMap(({ files }) => files.map((file) => join(CASES, 'controls', file))),
    )
    expect(clean.size).toBe(7)
    expect([...clean.values()].flat()).toEqual([])
  })
})
