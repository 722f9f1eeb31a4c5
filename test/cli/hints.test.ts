import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calledAs } from '../../cli/called-as.ts'
import { BINARY, handspan, newFolder, SHELL, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

/* What a command prints to be pasted works as it is pasted, by whoever reads it, and on the same captures. */

const ROOT = resolve(import.meta.dirname, '../..')

/** Folders of PATH without those that a package runner puts there, and without a handspan that is installed here. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.endsWith('node_modules/.bin') && !existsSync(join(folder, 'handspan')))
  .join(':')

/** A shell in which somebody pastes a line. */
function paste(line: string, cwd: string, path = PATH) {
  const env = { ...SHELL, PATH: path, NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd, env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

/** A project that depends on handspan, as `npm install` leaves it. */
function project(): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"shop","private":true}')
  symlinkSync(ROOT, join(folder, 'node_modules', 'handspan'))
  symlinkSync('../handspan/dist/handspan.js', join(folder, 'node_modules', '.bin', 'handspan'))
  return folder
}

describe('how a hint calls the command', () => {
  const env = { PATH: '/usr/bin:/bin' }
  const installed = (folder: string) => join(folder, 'node_modules/.bin/handspan')

  it('is npx where npx called it, or finds it: in a clone and below, in a project and below', () => {
    const shop = project()
    const below = join(shop, 'services', 'billing')
    mkdirSync(below, { recursive: true })
    writeFileSync(join(below, 'package.json'), '{}')
    for (const cwd of [shop, below])
      expect(calledAs({ script: installed(shop), cwd, env })).toBe('npx handspan')
    for (const cwd of [ROOT, join(ROOT, 'docs')])
      expect(calledAs({ script: BINARY, cwd, env })).toBe('npx handspan')
    const cache = { ...env, npm_lifecycle_event: 'npx' }
    expect(calledAs({ script: '/cache/_npx/1/node_modules/.bin/handspan', cwd: '/', env: cache })).toBe(
      'npx handspan',
    )
  })

  it('is the bare name where the PATH of a shell has it, and not only that of a package runner', () => {
    const bin = newFolder()
    symlinkSync(BINARY, join(bin, 'handspan'))
    const cwd = newFolder()
    const script = join(bin, 'handspan')
    expect(calledAs({ script, cwd, env: { PATH: `/bin:${bin}` } })).toBe('handspan')
    const runner = dirname(installed(project()))
    expect(calledAs({ script: BINARY, cwd, env: { PATH: `${runner}:/bin` } })).toBe(`node ${BINARY}`)
  })

  it('leads to the folder of the package first if the shell stands elsewhere', () => {
    const shop = project()
    const called = (INIT_CWD: string) =>
      calledAs({ script: installed(shop), cwd: shop, env: { ...env, INIT_CWD } })
    expect(called(shop)).toBe('npx handspan')
    expect(called('/')).toBe(`cd ${shop} && npx handspan`)
  })
})

describe('hints of the command', () => {
  it('name a run and a handoff that begin as options do, so that they can be pasted', async () => {
    const folder = newFolder()
    const events = lostKeyLog().map((event) => ({
      ...event,
      run: '-r',
      ...('handoff' in event && { handoff: '-h' }),
    }))
    await handspan(['import', writeLog(folder, 'odd.jsonl', events), '--dir', folder])
    const { stdout } = await handspan(['check', '--dir', folder, '--', '-r'])
    const hint = stdout.split('\n').find((line) => line.trim().startsWith('npx handspan diff'))!
    const { code, stdout: shown } = paste(hint.trim(), ROOT)
    expect(code).toBe(0)
    expect(shown).toContain('op-in-doubt-key-missing')
  })

  it('of the demo work as pasted by whoever called it with npx', () => {
    const shop = project()
    const demo = paste('npx handspan demo', shop)
    expect(demo.code).toBe(0)
    const hints = [...demo.stdout.matchAll(/^ {2}(npx handspan (?:replay|diff|runs).*?) {2,}/gm)].map(
      ([, hint]) => hint!,
    )
    expect(hints).toHaveLength(3)
    const all = paste(hints.join(' && '), shop)
    expect([all.code, all.stderr]).toEqual([0, ''])
    expect(all.stdout).toContain('✓ carried')
  })

  it('of a script of npm work from the shell that called npm, wherever it stands', () => {
    const shop = project()
    const below = join(shop, 'docs and more')
    mkdirSync(below)
    writeLog(shop, 'lost.jsonl', lostKeyLog())
    writeFileSync(join(shop, 'package.json'), '{"scripts":{"judge":"handspan check lost.jsonl"}}')
    const checked = paste('npm run --silent judge', below)
    expect(checked.code).toBe(1)
    const hint = checked.stdout.split('\n').find((line) => line.includes(' diff '))!
    expect(paste(hint, below)).toMatchObject({ code: 0, stdout: expect.stringContaining('sender: orders') })
  })

  it('name the directory that was given, in errors and for other settings as well', async () => {
    const folder = newFolder()
    const dir = ['--dir', join(folder, 'my captures')]
    const said = async (...args: string[]) => {
      const { stdout, stderr } = await handspan([...args, ...dir], { cwd: folder })
      return stdout + stderr
    }
    /** Pastes the one command in a text that these words follow. */
    const pasteFrom = (text: string, words: string) => {
      const found = new RegExp(`node \\S+handspan\\.js ${words}`, 'm').exec(text)
      expect(text).toMatch(new RegExp(words, 'm'))
      const { stdout, stderr } = paste(found![0], folder)
      return stdout + stderr
    }
    const log = writeLog(folder, 'log.jsonl', [...lostKeyLog(), '{"run": 1}'])
    expect(pasteFrom(await said('import', log), 'sql .*$')).toMatch(/log\.jsonl +7/)
    expect(pasteFrom(await said('diff', 'absent'), "runs --dir '[^']*'")).toContain('r-lost')
    const span = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), name: 'invoke_agent billing' }
    const spans = writeLog(folder, 'spans.jsonl', [
      {
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    ...span,
                    startTimeUnixNano: '1',
                    endTimeUnixNano: '2',
                    attributes: [
                      { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
                      { key: 'gen_ai.agent.name', value: { stringValue: 'billing' } },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ])
    expect(pasteFrom(await said('import', spans), 'sql .*$')).toContain('run')
    writeFileSync(join(folder, 'handspan.config.json'), '{"effects":{"read":["reserve_stock"]}}')
    expect(pasteFrom(await said('runs'), "rebuild --dir '[^']*'")).toContain('derived anew')
    const machine = JSON.parse((await handspan(['doctor', '--json', ...dir], { cwd: folder })).stdout)
    expect(JSON.stringify(machine)).toContain(`handspan sql 'SELECT source`)
  })

  it('of a file, and of what-if over several runs, can be pasted whole', async () => {
    const folder = newFolder()
    const empty = writeLog(folder, 'no handoff.jsonl', lostKeyLog().slice(0, 3))
    const { stderr } = await handspan(['diff', empty], { cwd: folder })
    const [hint] = /node .*replay .*(?= shows)/.exec(stderr)!
    expect(paste(hint, folder).stdout).toContain('recorded data')

    const logs = ['r-1', 'r-2'].map((run) => writeLog(folder, `${run}.jsonl`, lostKeyLog(run)))
    const filter = join(folder, 'none.mjs')
    writeFileSync(filter, 'export default () => []')
    const dir = ['--dir', join(folder, 'captures')]
    await handspan(['import', ...logs, ...dir])
    for (const which of [logs, ['--since', '365000d']]) {
      const tried = await handspan(['what-if', ...which, '--filter', filter, ...dir], { cwd: folder })
      const [more] = /node .*what-if .*(?= shows)/.exec(tried.stderr)!
      expect(paste(more, folder).code).toBe(0)
    }
  })

  it('say how to begin where nothing is recorded yet', async () => {
    const folder = newFolder()
    const nowhere = join(folder, 'nowhere')
    for (const command of [['runs'], ['tui'], ['tui', '--plain']]) {
      const { code, stderr } = await handspan([...command, '--dir', nowhere], { cwd: folder })
      expect([command, code]).toEqual([command, 2])
      expect(stderr).toContain(`handspan: ${nowhere} does not exist.`)
      expect(stderr).toContain("start() from 'handspan'")
      expect(stderr).toContain(`import FILE --dir ${nowhere}`)
      const [demo] = /node \S+ demo .*$/m.exec(stderr)!
      expect(demo).toContain(`--dir ${nowhere}`)
    }
    const help = await handspan(['sql', '--help'], { cwd: folder })
    const here = `node ${BINARY}`
    expect(help.stdout).toContain(`  ${here} query key-coverage --sql | ${here} sql -  `)
    const misread = await handspan(['import', '--jsn', 'x'], { cwd: folder })
    expect(misread.stderr).toContain(`${here} import --help says how it is called`)
    const unknown = await handspan(['imprt'], { cwd: folder })
    expect(unknown.stderr).toContain(`${here} --help lists the commands`)
  })
})
