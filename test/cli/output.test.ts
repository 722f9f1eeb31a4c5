import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn as openTerminal } from '@lydell/node-pty'
import { describe, expect, it } from 'vitest'
import { jsonDocument } from '../../report/json-document.ts'
import { BINARY, handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

const HOSTILE = '\u001b[2J\u001b]52;c;aGk=\u0007Reserving\u202e 40\u200b now\u0000\r\u009b31m'

/** Characters that no output may hold: controls but the line feed, and the invisible ones of the log above. */
function hostileCharacters(text: string): string[] {
  return [...text].filter((char) => {
    const code = char.codePointAt(0)!
    return (
      (code < 32 && char !== '\n') || (code >= 127 && code < 160) || char === '\u202e' || char === '\u200b'
    )
  })
}

/** What a command shows in a terminal of 100 columns. */
async function inTerminal(
  args: readonly string[],
  cwd: string,
  cols = 100,
): Promise<{ code: number; shown: string }> {
  const { NO_COLOR: _, ...env } = process.env
  const terminal = openTerminal(process.execPath, [BINARY, ...args], {
    cols,
    rows: 40,
    cwd,
    env: env as Record<string, string>,
  })
  let shown = ''
  terminal.onData((text) => {
    shown += text
  })
  const code = await new Promise<number>((done) => terminal.onExit(({ exitCode }) => done(exitCode)))
  return { code, shown }
}

/** The exit code of a command of which one stream was closed by its reader at once. */
function codeWithout(stream: 'stdout' | 'stderr', args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [BINARY, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child[stream].destroy()
  child[stream === 'stdout' ? 'stderr' : 'stdout'].resume()
  return new Promise((done) => child.on('close', done))
}

describe('output', () => {
  it('lists every command with examples, and answers unknown ones with 2 and a suggestion', async () => {
    const { code, stdout } = await handspan(['--help'])
    expect(code).toBe(0)
    const commands = [
      'demo',
      'runs',
      'replay',
      'diff',
      'findings',
      'check',
      'import',
      'rebuild',
      'sql',
      'info',
      'doctor',
      'query',
      'what-if',
      'compare',
      'tui',
    ]
    for (const command of commands) {
      expect(stdout).toContain(`  ${command} `)
      const help = await handspan([command, '--help'])
      expect(help.code).toBe(0)
      expect(help.stdout).toMatch(new RegExp(`^Examples:\\n  npx handspan ${command}|zcat`))
    }
    const wrong = await handspan(['replya'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('replay')
    expect((await handspan(['replay'])).code).toBe(2)
    expect((await handspan(['replya'])).stderr).toMatch(/^handspan: [\s\S]*handspan COMMAND --help/)
    for (const args of [['replay'], ['check', '--format', 'xx', 'a.jsonl']])
      expect((await handspan(args)).stderr).toMatch(
        new RegExp(`^handspan: [\\s\\S]* ${args[0]} --help says how it is called`),
      )
  })

  it('says in the plain screens when nothing was found, and counts bytes as everywhere', async () => {
    const folder = newFolder()
    const start = { v: 1, run: 'r-1', seq: 1, at: '2031-03-04T09:00:00Z', kind: 'run.started' }
    const quiet = await handspan(['tui', '--plain', writeLog(folder, 'one.jsonl', [start])])
    expect(quiet.stdout).toMatch(/Findings of run r-1\n +no findings in this run/)
    const items = [{ role: 'user', content: 'a'.repeat(2_000) }]
    const sent = {
      ...start,
      seq: 2,
      kind: 'handoff.sent',
      handoff: 'h-1',
      from: 'a',
      to: 'b',
      items_before: items,
    }
    const replayed = await handspan(['replay', writeLog(folder, 'two.jsonl', [start, sent])])
    // {"content":"…","role":"user"} and the brackets of the list
    expect(replayed.stdout).toContain('has 1 item of 2,030 B')
  })

  it('shows captured text escaped, wherever it stands', async () => {
    const folder = newFolder()
    const log = lostKeyLog('r-\u001b[31m', { said: HOSTILE, agent: `orders${HOSTILE}` })
    const file = writeLog(folder, 'hostile.jsonl', log)
    const dir = ['--dir', join(folder, 'captures')]
    await handspan(['import', file, ...dir])
    for (const args of [
      ['replay', file],
      ['diff', file],
      ['check', file],
      ['runs', ...dir],
      ['findings', ...dir],
      ['sql', 'FROM messages', ...dir],
      ['sql', 'SELECT run, agents FROM runs', ...dir],
      ['sql', `SELECT "${HOSTILE.replaceAll('\u0000', '')}"`, ...dir],
      ['diff', file, 'absent'],
      ['compare', file, file, '--handoff', 'absent'],
      ['check', writeLog(folder, 'bad.jsonl', [`{"kind": ${HOSTILE}`, ...log])],
      ['check', file, '--json'],
      ['replay', '--\u001b[31m'],
    ]) {
      const { stdout, stderr } = await handspan(args)
      expect([args[0], hostileCharacters(stdout + stderr)]).toEqual([args[0], []])
      if (args[0] === 'replay' && args[1] === file) expect(stdout).toContain('\\e[2J')
    }
  })

  it('lets no id begin a line of its own: a CI takes commands from such lines', async () => {
    const folder = newFolder()
    const ids = ['r-1\n::error::forged', 'r-2\n::error::forged']
    const file = writeLog(
      folder,
      'forged.jsonl',
      ids.flatMap((id) => lostKeyLog(id)),
    )
    for (const args of [
      ['diff', file],
      ['diff', file, 'absent'],
      ['compare', file, file, '--handoff', 'absent'],
    ]) {
      const { stdout, stderr } = await handspan(args)
      expect(stdout + stderr).toContain('\\n::error::forged')
      expect(stdout + stderr).not.toMatch(/^::/m)
    }
  })

  it('escapes JSON so that it reads back as it was', () => {
    const text = `${HOSTILE}\u{e0041}\u2028Grüße ❤️ 注文 🛒`
    const written = jsonDocument('test', { text })
    expect(hostileCharacters(written)).toEqual([])
    expect(written).toContain('Grüße ❤️ 注文 🛒')
    expect(JSON.parse(written).text).toBe(text)
  })

  it('ends quietly when the reader has gone', async () => {
    const folder = newFolder()
    const many = Array.from({ length: 20_000 }, (_, seq) => ({
      run: 'r-long',
      seq,
      kind: 'message',
      agent: 'a',
      content: `line ${seq}`,
    }))
    const file = writeLog(folder, 'long.jsonl', many)
    const child = spawn(process.execPath, [BINARY, 'replay', file], { stdio: ['ignore', 'pipe', 'pipe'] })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((done) => child.on('close', done))
    expect(errors).toBe('')
    expect(code).toBe(0)
  })

  it('answers by its exit code whoever has stopped reading, and never calls a crash findings', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'one.jsonl', lostKeyLog('r-1'))
    expect(await codeWithout('stdout', ['check', file])).toBe(1)
    expect(await codeWithout('stdout', ['what-if', file, '--style', 'full'])).toBe(0)
    expect(await codeWithout('stderr', ['replay', 'absent', '--dir', folder])).toBe(2)
    const crash = "process.nextTick(() => { throw new Error('it broke') }); export default {}"
    writeFileSync(join(folder, 'handspan.config.mjs'), crash)
    const crashed = await handspan(['check', file], { cwd: folder })
    expect([crashed.code, crashed.stderr]).toEqual([2, 'handspan: it broke\n'])
  })

  it('runs the demo without a terminal: table, findings and one diff', async () => {
    const folder = newFolder()
    const { code, stdout } = await handspan(['demo'], { cwd: folder })
    expect(code).toBe(0)
    expect(
      stdout.match(/^(full transcript|last pair|tools removed|brief|runtime record).*(landed|delayed)/gm),
    ).toHaveLength(12)
    expect(stdout).toMatch(/runtime record +delayed +1, late one refused +kept/)
    expect(stdout).toContain('error    op-in-doubt-key-missing')
    expect(stdout).toContain('sender: orders — operations log')
    const { outcomes, findings } = JSON.parse((await handspan(['demo', '--json'], { cwd: folder })).stdout)
    expect(outcomes).toHaveLength(12)
    expect(findings.length).toBeGreaterThan(0)
  })

  it('keeps the two sides of a diff beside each other in a terminal of 40 columns', async () => {
    const folder = newFolder()
    const { code, shown } = await inTerminal(
      ['diff', writeLog(folder, 'log.jsonl', lostKeyLog())],
      folder,
      40,
    )
    expect(code).toBe(0)
    const rows = stripVTControlCharacters(shown)
      .split(/\r?\n/)
      .filter((line) => line.includes('│'))
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.filter((row) => row.trimEnd().length > 40)).toEqual([])
  })

  it('runs the demo in a terminal, within its width', async () => {
    const { code, shown } = await inTerminal(['demo'], newFolder())
    expect(code).toBe(0)
    expect(shown).toContain('sender: orders')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of the terminal are taken out
    const lines = shown.replace(/\u001b\[[0-9;]*m/g, '').split(/\r?\n/)
    const diffLines = lines.slice(lines.findIndex((line) => line.startsWith('sender: orders')))
    expect(Math.max(...diffLines.slice(0, 20).map((line) => [...line].length))).toBeLessThanOrEqual(100)
  })

  it('keeps what was captured from a terminal also as CSV, and hands it on whole to a program', async () => {
    const folder = newFolder()
    const agent = 'or\u001b[31mders'
    await handspan(['import', writeLog(folder, 'log.jsonl', lostKeyLog('r', { agent }))], { cwd: folder })
    const query = ['query', 'handoffs', '--by', 'agent', '--format', 'csv']
    expect((await handspan(query, { cwd: folder })).stdout).toContain(agent)
    const { code, shown } = await inTerminal(query, folder)
    expect(code).toBe(0)
    expect(shown).toContain('or\\e[31mders')
    expect(shown).not.toContain(agent)
  })

  it('says why the demo cannot record', async () => {
    const disabled = await handspan(['demo'], { cwd: newFolder(), env: { OTEL_SDK_DISABLED: 'true' } })
    expect(disabled.code).toBe(2)
    expect(disabled.stderr).toContain('OTEL_SDK_DISABLED')
  })
})
