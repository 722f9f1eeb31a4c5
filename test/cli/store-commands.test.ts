import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pasted } from '../../cli/render/pasted.ts'
import { DEFAULT_DIRECTORY } from '../../cli/shared-options.ts'
import { escapeText } from '../../model/escape.ts'
import { SCHEMA_VERSION } from '../../store/index.ts'
import { complaints, handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

const CASES = resolve(import.meta.dirname, '../cases')

type Imported = { folder: string; dir: string[] }

/** A folder with one imported run, and the arguments that name its store. */
async function imported(folder = newFolder()): Promise<Imported> {
  const dir = ['--dir', join(folder, 'captures')]
  const log = lostKeyLog()
  const { code, stderr } = await handspan(['import', writeLog(folder, 'log.jsonl', log), ...dir])
  expect(stderr).toContain(`${log.length} events stored`)
  expect(code).toBe(0)
  return { folder, dir }
}

describe('commands on a store', () => {
  it('imports once, however often', async () => {
    const { folder, dir } = await imported()
    const again = await handspan(['import', join(folder, 'log.jsonl'), ...dir, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ events: 0, duplicates: 6, quarantined: 0 })
    // The mark that some editors put at the start of a file belongs to no event.
    const marked = join(folder, 'marked.jsonl')
    writeFileSync(marked, `\ufeff${readFileSync(join(folder, 'log.jsonl'), 'utf8')}`)
    const other = await handspan(['import', marked, ...dir, '--json'])
    expect(JSON.parse(other.stdout)).toMatchObject({ events: 0, duplicates: 6, quarantined: 0 })
  })

  it('imports from stdin and keeps bad lines in quarantine', async () => {
    const dir = ['--dir', join(newFolder(), 'captures')]
    const input = `${lostKeyLog()
      .map((event) => JSON.stringify(event))
      .join('\n')}\n{"run": 1}\n`
    const { stderr, code } = await handspan(['import', '-', ...dir], { input })
    expect(code).toBe(0)
    expect(stderr).toContain('1 line could not be read')
    const { stdout } = await handspan([
      'sql',
      'SELECT source, line_number, reason FROM quarantine',
      ...dir,
      '--json',
    ])
    expect(JSON.parse(stdout).rows).toEqual([
      { source: 'stdin', line_number: 7, reason: expect.stringContaining('"run"') },
    ])
  })

  it('imports what it can of several files, names the others and ends with 2', async () => {
    const folder = newFolder()
    const dir = ['--dir', join(folder, 'captures')]
    const foreign = join(folder, 'package.json')
    writeFileSync(foreign, '{\n  "name": "x"\n}\n')
    const sound = writeLog(folder, 'log.jsonl', lostKeyLog())
    const missing = join(folder, 'nowhere.jsonl')
    const said = await handspan(['import', foreign, missing, sound, ...dir])
    expect(said.code).toBe(2)
    expect(complaints(said.stderr)).toMatch(
      /^handspan: \S+package\.json is JSON, but holds no spans .*\nImport a run log .*\nhandspan: \S+nowhere\.jsonl does not exist\.\nCheck the path\.\n6 events stored; 1 run judged\.\n1 file was read\. What could not be read is named above\.\n$/,
    )
    const again = await handspan(['import', foreign, missing, sound, ...dir, '--json'])
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('nowhere.jsonl does not exist')
    expect(JSON.parse(again.stdout)).toMatchObject({
      files: 1,
      duplicates: 6,
      unread: [{ file: foreign, reason: expect.stringContaining('no spans') }, { file: missing }],
    })
  })

  it('derives the same anew', async () => {
    const dir = ['--dir', join(newFolder(), 'captures')]
    await handspan(['import', CASES, ...dir])
    const query = [
      'sql',
      'SELECT run, check_id, message, fingerprint FROM findings ORDER BY ALL',
      ...dir,
      '--json',
    ]
    const before = JSON.parse((await handspan(query)).stdout).rows
    const { stderr } = await handspan(['rebuild', ...dir])
    expect(stderr).toContain('43 runs derived anew')
    expect(JSON.parse((await handspan(query)).stdout).rows).toEqual(before)
    expect(before.length).toBeGreaterThan(30)
  })

  it('says where everything is and what is wrong', async () => {
    const { folder, dir } = await imported()
    const { stdout } = await handspan(['info', ...dir, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      events: 6,
      runs: 1,
      handoffs: 1,
      quarantined: 0,
      lost: 0,
      schemaVersion: SCHEMA_VERSION,
    })
    expect((await handspan(['doctor', ...dir])).code).toBe(0)
    await handspan(['import', writeLog(folder, 'bad.jsonl', ['{']), ...dir])
    const sick = await handspan(['doctor', ...dir])
    expect(sick.code).toBe(1)
    expect(sick.stdout).toContain('✗ quarantine: 1 line could not be read')
    expect((await handspan(['doctor', '--dir', join(folder, 'nothing-there')])).code).toBe(0)
  })

  it('names what a run id could mean, and what to do when there is none', async () => {
    const { folder, dir } = await imported()
    await handspan(['import', writeLog(folder, 'other.jsonl', lostKeyLog('r-late')), ...dir])
    const both = await handspan(['replay', 'r-', ...dir])
    expect(both.code).toBe(2)
    expect(both.stderr).toContain('r-late, r-lost')
    expect((await handspan(['replay', 'r-los', ...dir])).code).toBe(0)
    const none = await handspan(['diff', 'r-none', ...dir])
    expect(none.code).toBe(2)
    expect(none.stderr).toContain(`runs --dir ${dir[1]} lists the runs`)
    const nowhere = await handspan(['runs', '--dir', join(folder, 'nowhere')])
    expect(nowhere.code).toBe(2)
    expect(nowhere.stderr).toContain('nowhere')
  })

  it('print no document with --json when they fail; those that take several files tell what was not read', async () => {
    const nowhere = join(newFolder(), 'nowhere')
    const failing = [
      ['runs'],
      ['findings'],
      ['replay', 'r-1'],
      ['diff', 'r-1'],
      ['compare', 'r-1', 'r-2'],
      ['query', 'handoffs'],
      ['sql', 'FROM runs'],
      ['search', 'word'],
      ['info'],
      ['prune', '--older-than', '1d'],
      ['rebuild'],
    ]
    for (const args of failing)
      expect([args[0], await handspan([...args, '--json', '--dir', nowhere])]).toEqual([
        args[0],
        { code: 2, stdout: '', stderr: expect.stringContaining(`handspan: ${nowhere} does not exist.\n`) },
      ])
    for (const args of [
      ['check', 'r-1'],
      ['what-if', 'r-1', '--style', 'full'],
      ['import', `${nowhere}.jsonl`],
    ]) {
      const { code, stdout } = await handspan([...args, '--json', '--dir', nowhere])
      expect([args[0], code]).toEqual([args[0], 2])
      expect(JSON.parse(stdout).unread).toEqual([
        {
          file: args[1],
          reason: expect.any(String),
          remedy: expect.any(String),
        },
      ])
    }
  })
})

describe('a command that is printed to be pasted', () => {
  // What a shell makes of it is asked of a shell.
  const words = (command: string) =>
    execFileSync('bash', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1)

  it('is one word an id for a shell, whatever the ids are', () => {
    const ids = fc.array(fc.string({ unit: 'binary', minLength: 1 }).filter((id) => !id.includes('\0')))
    fc.assert(
      fc.property(
        fc.constant(['a b"c', "it's; echo $HOME `id`", '\u001b[31m\u202e\\', '注文-🛒', '!!']),
        ids,
        (known, wild) => {
          const given = ['diff', ...known, ...wild]
          const command = pasted(given, '/tmp/my captures', 'handspan')
          expect(escapeText(command)).toBe(command)
          expect(words(command)).toEqual(['handspan', ...given, '--dir', '/tmp/my captures'])
        },
      ),
      { numRuns: 20 },
    )
    expect(pasted(['diff', 'order-4711', 'h-1'], DEFAULT_DIRECTORY, 'handspan')).toBe(
      'handspan diff order-4711 h-1',
    )
  })
})

describe('commands that only read', () => {
  // One store for all of them: none may change it.
  let folder: string
  let dir: string[]

  beforeAll(async () => {
    ;({ folder, dir } = await imported(mkdtempSync(join(tmpdir(), 'handspan-test-'))))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  it('lists runs with ids that can be pasted into the next command', async () => {
    const { stdout } = await handspan(['runs', ...dir])
    const id = stdout.split('\n')[1]!.split(' ')[0]!
    expect(id).toBe('r-lost')
    const { runs, total } = JSON.parse((await handspan(['runs', ...dir, '--json'])).stdout)
    expect(total).toBe(1)
    expect(runs[0]).toMatchObject({ run: 'r-lost', agents: ['orders', 'billing'], handoffs: 1, in_doubt: 1 })
  })

  it('replays the timeline and the state at a step', async () => {
    const whole = await handspan(['replay', 'latest', ...dir])
    expect([whole.code, complaints(whole.stderr)]).toEqual([0, ''])
    expect(whole.stdout).toContain('recorded data, nothing is called')
    expect(whole.stdout).toMatch(/op-2 +reserve_stock +write +unknown +key o7:2 +IN DOUBT/)
    expect(whole.stdout).toContain('owner: billing')
    const { stdout } = await handspan(['replay', 'r-lost', '--step', '2', ...dir, '--json'])
    const { state } = JSON.parse(stdout)
    expect(state.operations).toEqual([
      {
        op: 'op-2',
        tool: 'reserve_stock',
        effect: 'write',
        state: 'sent',
        key: 'o7:2',
        agent: 'orders',
        inDoubt: true,
      },
    ])
    expect(state.owner).toBe('orders')
    expect((await handspan(['replay', 'r-lost', '--step', '99', ...dir])).code).toBe(2)
  })

  it('shows the diff as text and as JSON with sizes and degrees', async () => {
    const log = lostKeyLog()
    const { code, stdout, stderr } = await handspan(['diff', 'r-lost', 'h1', ...dir])
    expect([code, complaints(stderr)]).toEqual([0, ''])
    expect(stdout).toContain('sender: orders — operations log')
    expect(stdout).toContain('receiver: billing — what its model got')
    expect(stdout).toContain('✗ mentioned')
    expect(stdout).toContain('"Reserving 40 now."')
    expect(stdout).toContain('REPEATS THE EFFECT')
    const { handoffs } = JSON.parse((await handspan(['diff', 'r-lost', ...dir, '--json'])).stdout)
    // Independent count: the UTF-8 length of what JSON.stringify writes.
    const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
    const [sent, received] = [log[3], log[4]] as Record<string, unknown>[]
    expect(handoffs).toHaveLength(1)
    expect(handoffs[0].sizes).toMatchObject({
      itemsBefore: { bytes: sizeOf(sent!.items_before), count: 3 },
      items: { bytes: sizeOf(received!.items), count: 2 },
      tokenMethod: 'o200k_base',
    })
    expect(handoffs[0].sizes.record).toBeUndefined()
    expect(handoffs[0].operations).toEqual([
      expect.objectContaining({
        op: 'op-2',
        key: 'o7:2',
        state: 'unknown',
        inDoubt: true,
        degree: 'mentioned',
        guess: true,
      }),
    ])
    const unknown = await handspan(['diff', 'r-lost', 'h9', ...dir])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('Its handoffs: h1')
  })

  it('lists findings of all runs and of one, the same ones', async () => {
    const all = JSON.parse((await handspan(['findings', ...dir, '--json'])).stdout).findings
    const ofOne = await handspan(['findings', 'r-lost', ...dir, '--json'])
    expect([ofOne.code, complaints(ofOne.stderr)]).toEqual([0, ''])
    const one = JSON.parse(ofOne.stdout).findings
    expect(all.length).toBeGreaterThan(0)
    expect(all.map((finding: { check: string }) => finding.check)).toEqual(
      one.map((finding: { check: string }) => finding.check),
    )
    const shown = (await handspan(['findings', 'r-lost', ...dir])).stdout
    expect(shown).toContain(` diff r-lost h1 --dir ${dir[1]}\n`)
    const none = await handspan(['findings', '--check', 'trace-broken', ...dir])
    expect(none.stdout).toBe('no findings\n')
  })

  it('answers only queries that read, within bounds', async () => {
    const { stdout, stderr } = await handspan([
      'sql',
      'SELECT kind FROM events ORDER BY seq',
      '--limit',
      '2',
      ...dir,
    ])
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['kind', 'run.start', 'operation'])
    expect(stderr).toContain('Cut after 2 rows')
    for (const query of [
      `COPY events TO '${folder}/out.csv'`,
      `ATTACH '${folder}/x.db'`,
      'DELETE FROM base.events',
      `SELECT * FROM read_text('${folder}/log.jsonl')`,
      `FROM '${folder}/log.jsonl'`,
    ]) {
      const refused = await handspan(['sql', query, ...dir])
      expect([query, refused.code]).toEqual([query, 2])
    }
    const mistake = await handspan(['sql', 'SELECT nothing FROM runs', ...dir])
    expect(mistake.code).toBe(2)
    expect(mistake.stderr).toContain('nothing')
  })
})

describe('the configuration of the working directory', () => {
  it('holds for what is stored; what was judged before it changed is told of, and rebuilt', async () => {
    const folder = newFolder()
    const dir = ['--dir', join(folder, 'captures')]
    const run = (...args: string[]) => handspan([...args, ...dir], { cwd: folder })
    const count = async () => {
      const { stdout } = await run(
        'sql',
        '--json',
        "SELECT count(*) AS n FROM findings WHERE severity = 'error'",
      )
      return JSON.parse(stdout).rows[0].n as number
    }
    writeLog(folder, 'handspan.config.json', [
      JSON.stringify({ severities: { 'op-in-doubt-key-missing': 'off' } }),
    ])
    const log = writeLog(folder, 'log.jsonl', lostKeyLog())
    expect(complaints((await run('import', log)).stderr)).not.toContain('judged under another')
    const without = await count()
    writeLog(folder, 'handspan.config.json', ['{}'])
    const { stderr } = await run('runs')
    expect(stderr).toContain('1 stored run was judged under another configuration than the one here')
    expect((await run('rebuild')).stderr).not.toContain('another configuration')
    expect(await count()).toBe(without + 1)
    expect((await run('runs')).stderr).not.toContain('another configuration')
  })
})
