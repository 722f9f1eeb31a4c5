import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostileLog } from './logs.ts'
import { newPlace } from './place.ts'
import { program } from './program.ts'

const INCIDENT = resolve(import.meta.dirname, '../../examples/lost-key.jsonl')

const ENTERED = '\u001b[?1049h'
const LEFT = '\u001b[?1049l'
const CURSOR_SHOWN = '\u001b[?25h'

// Loaded into the program from outside: what goes wrong there goes wrong inside it.
const FAULT = "process.on('SIGUSR2',()=>setTimeout(()=>{throw%20new%20Error('a%20fault%20in%20a%20timer')}))"
const FAULT_IN_A_FRAME =
  "process.on('SIGUSR2',()=>{Array.prototype.flatMap=()=>{throw%20new%20Error('a%20fault%20in%20a%20frame')};process.emit('SIGWINCH')})"
const WARNING = "process.on('SIGUSR2',()=>process.emitWarning('a%20stray%20warning'))"

/** The terminal is as it was found: main screen, cursor visible, and neither undone afterwards. */
function expectRestored(raw: string): void {
  expect(raw.lastIndexOf(LEFT)).toBeGreaterThan(raw.lastIndexOf(ENTERED))
  expect(raw.lastIndexOf(CURSOR_SHOWN)).toBeGreaterThan(raw.lastIndexOf('\u001b[?25l'))
}

describe('the real program in a terminal', () => {
  it('first use: opens the incident, finds the operation in doubt, says why, and quits as it came', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    tui.press('e')
    await tui.shows(/op-2 reserve_stock SENT, IN DOUBT/)
    tui.press('\r')
    await tui.shows(/op-2: MENTIONED, key absent/)
    await tui.shows(/if it is still travelling: REPEATS THE EFFECT/)
    tui.press('q')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
    // Synchronised frames, and never the sequence that wipes what the user can scroll back to.
    expect(tui.raw()).toContain('\u001b[?2026h')
    expect(tui.raw()).not.toContain('\u001b[3J')
  })

  it('takes several keys out of one write', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    tui.press('jjjj')
    await tui.shows(/step 5 of 19/)
    tui.press('\u001b[B\u001b[B')
    await tui.shows(/step 7 of 19/)
    tui.press('q')
    await tui.ended
  })

  it('Escape and the next key in one write are two keys', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    tui.press('?')
    await tui.shows(/keys of replay/)
    tui.press('\u001bjj')
    await tui.shows(/step 3 of 19/)
    tui.press('?')
    await tui.shows(/keys of replay/)
    tui.press('\u001b:')
    await tui.shows(/^:/m)
    tui.press('\u001bq')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
  })

  it('reflows while it is resized, and draws every size whole', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    for (const [columns, rows] of [
      [140, 40],
      [61, 15],
      [200, 50],
      [40, 10],
      [100, 30],
      [80, 24],
    ] as const) {
      tui.resize(columns, rows)
      tui.press('j')
    }
    await tui.shows(/step 7 of 19/)
    await tui.shows(/q quit/)
    const lines = tui.screen().split('\n')
    expect(lines[0]).toMatch(/^ handspan {2}run order-4711/)
    expect(lines.filter((line) => line.includes('handspan'))).toHaveLength(1)
    tui.resize(20, 5)
    await tui.shows(/needs 40x10/)
    tui.resize(80, 24)
    await tui.shows(/step 7 of 19/)
    tui.press('q')
    await tui.ended
    expectRestored(tui.raw())
  })

  it('starts in a terminal of 20x5, says what it needs, and quits', async () => {
    const tui = await program(['tui', INCIDENT], { columns: 20, rows: 5 })
    await tui.shows(/needs 40x10/)
    tui.press('q')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
  })

  it('quits on ^C', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    tui.press('\u0003')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ])('restores the terminal when it is ended by %s', async (signal, code) => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    tui.kill(signal)
    expect(await tui.ended).toMatchObject({ exitCode: code })
    expectRestored(tui.raw())
  })

  it.each(['^Z', 'SIGTSTP'])('%s gives the terminal to the shell, and fg comes back whole', async (how) => {
    const pid = join(newPlace(), 'pid')
    const tui = await program(['tui', INCIDENT], {
      shell: `set -m; sh -c 'echo $$ >"$0"; exec "$@"' '${pid}' "$@"; echo the shell has it; stty -a; read line; fg`,
    })
    await tui.shows(/step 1 of 19/)
    tui.press('j')
    await tui.shows(/step 2 of 19/)
    if (how === '^Z') tui.press('\u001a')
    else process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTSTP')
    await tui.shows(/the shell has it/)
    await tui.shows(/ icanon/)
    expect(tui.screen()).not.toContain('step 2')
    expectRestored(tui.raw())
    tui.press('\r')
    await tui.shows(/step 2 of 19/)
    await tui.shows(/back again/)
    // Only in raw mode is a key read without Enter.
    tui.press('j')
    await tui.shows(/step 3 of 19/)
    tui.press('q')
    await tui.ended
    expectRestored(tui.raw())
  })

  it('^Z where no shell could continue it: stays, and says so', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    tui.press('\u001a')
    await tui.shows(/no shell/)
    tui.press('j')
    await tui.shows(/step 2 of 19/)
    tui.press('q')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
  })

  it('a log that cannot be read: the error stands on the main screen, after the terminal was put back', async () => {
    const file = join(newPlace(), 'broken.jsonl')
    writeFileSync(file, '\u0000\u0001 not a log \u001b]52;c;eA==\u0007\n'.repeat(50))
    const tui = await program(['tui', file])
    expect(await tui.ended).toMatchObject({ exitCode: 2 })
    const raw = tui.raw()
    expectRestored(raw)
    expect(raw.indexOf('no event could be read')).toBeGreaterThan(raw.lastIndexOf(LEFT))
    expect(raw).not.toContain('\u001b]52;')
  })

  it('an error that nobody caught: the terminal is put back, then the error is printed', async () => {
    const tui = await program(['tui', INCIDENT], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${FAULT}` },
    })
    await tui.shows(/step 1 of 19/)
    tui.kill('SIGUSR2')
    expect(await tui.ended).toMatchObject({ exitCode: 2 })
    const raw = tui.raw()
    expectRestored(raw)
    expect(raw.indexOf('a fault in a timer')).toBeGreaterThan(raw.lastIndexOf(LEFT))
  })

  it('an error while a frame is made: the same', async () => {
    const tui = await program(['tui', INCIDENT], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${FAULT_IN_A_FRAME}` },
    })
    await tui.shows(/step 1 of 19/)
    tui.kill('SIGUSR2')
    expect(await tui.ended).toMatchObject({ exitCode: 2 })
    const raw = tui.raw()
    expectRestored(raw)
    expect(raw.indexOf('a fault in a frame')).toBeGreaterThan(raw.lastIndexOf(LEFT))
  })

  it('a warning on stderr does not tear the screen: it is printed when the terminal was put back', async () => {
    const tui = await program(['tui', INCIDENT], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${WARNING}` },
    })
    await tui.shows(/step 1 of 19/)
    tui.kill('SIGUSR2')
    tui.press('j')
    await tui.shows(/step 2 of 19/)
    expect(tui.raw()).not.toContain('a stray warning')
    tui.press('q')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expect(tui.raw().indexOf('a stray warning')).toBeGreaterThan(tui.raw().lastIndexOf(LEFT))
  })

  it('follows a run log that grows, and writes the view to a file', async () => {
    const place = newPlace()
    const lines = readFileSync(INCIDENT, 'utf8').trim().split('\n')
    const file = join(place, 'live.jsonl')
    writeFileSync(file, `${lines.slice(0, 7).join('\n')}\n`)
    const tui = await program(['tui', file])
    await tui.shows(/step 1 of 7/)
    tui.press('F')
    await tui.shows(/step 7 of 7 {2}following/)
    appendFileSync(file, `${lines.slice(7).join('\n')}\n`)
    await tui.shows(/step 19 of 19 {2}following, the run has ended/)
    const report = join(place, 'report.html')
    tui.press(`:write ${report}`)
    await tui.shows(/report\.html/)
    tui.press('\r')
    await tui.shows(/written to/)
    expect(readFileSync(report, 'utf8')).toContain('<h1>Replay of run order-4711</h1>')
    tui.press('q')
    await tui.ended
    expectRestored(tui.raw())
  })

  it('survives garbage on its input', async () => {
    const tui = await program(['tui', INCIDENT])
    await tui.shows(/step 1 of 19/)
    const bytes = [
      0, 1, 2, 4, 5, 6, 255, 254, 27, 91, 60, 54, 52, 59, 49, 59, 49, 77, 27, 91, 50, 48, 48, 126, 195, 40,
      240, 159, 27,
    ]
    tui.press(Buffer.from(bytes).toString('latin1'))
    tui.press('\u001b[999;999H\u001bOZ\u001b[?62;c\u001b]0;title\u0007')
    tui.press('\u001b')
    tui.press('\u001b[H')
    tui.press('2')
    await tui.shows(/step \d+ of 19|runs/)
    tui.press('q')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
  })

  it('lets nothing out of a hostile log: no clipboard, no link, no title, no bell', async () => {
    const file = join(newPlace(), 'hostile.jsonl')
    writeFileSync(
      file,
      hostileLog()
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    )
    const tui = await program(['tui', file])
    await tui.shows(/step 1 of 8/)
    tui.press('}')
    await tui.shows(/step 6 of 8/)
    tui.press('\r')
    await tui.shows(/operations/)
    tui.press('v')
    await tui.shows(/▾/)
    tui.press('q')
    await tui.ended
    for (const sequence of ['\u001b]', '\u0007', '\u202e']) expect(tui.raw()).not.toContain(sequence)
    expectRestored(tui.raw())
  })

  it('NO_COLOR: no colour at all, and the screen says the same', async () => {
    const tui = await program(['tui', INCIDENT], { env: { NO_COLOR: '1', FORCE_COLOR: '3' } })
    await tui.shows(/step 1 of 19/)
    tui.press('e')
    await tui.shows(/IN DOUBT/)
    tui.press('q')
    await tui.ended
    const styles = tui
      .raw()
      .split('\u001b[')
      .flatMap((part) => /^([\d;]*)m/u.exec(part)?.[1] ?? [])
    expect(styles.length).toBeGreaterThan(0)
    for (const code of new Set(styles.flatMap((style) => style.split(';'))))
      expect(Number(code)).toBeLessThan(30)
  })

  it('handspan without a word opens the list; an empty store says what to do', async () => {
    const place = newPlace()
    const tui = await program([], { env: { HANDSPAN_DIR: place } })
    await tui.shows(/no runs yet[\s\S]* with start\(\) from 'handspan'/)
    tui.press('6')
    await tui.shows(/what to play/)
    tui.press('\r')
    await tui.shows(/state after step 1/)
    tui.press('1')
    await tui.shows(/1 run /)
    tui.press(';SELECT run, in_doubt FROM runs')
    await tui.shows(/sql SELECT run/)
    tui.press('\r')
    await tui.shows(/1 row/)
    tui.press('\r')
    await tui.shows(/state after step 1/)
    tui.press('5')
    await tui.shows(/what to ask/)
    tui.press('\r')
    await tui.shows(/slice/)
    tui.press('q')
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expectRestored(tui.raw())
  })
})

describe('where nothing can be drawn', () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [resolve(import.meta.dirname, '../../dist/handspan.js'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })

  it('a pipe gets text, without one escape', () => {
    const { stdout, status } = run(['tui', INCIDENT])
    expect(status).toBe(0)
    expect(stdout).toContain('op-2: MENTIONED, key absent')
    expect(stdout).toContain('Findings of run order-4711')
    expect(stdout).not.toContain('\u001b')
  })

  it('what the project configures holds as it does for check', () => {
    const place = newPlace()
    const config = join(place, 'handspan.config.json')
    writeFileSync(config, JSON.stringify({ severities: { 'retry-new-key': 'off' } }))
    expect(run(['tui', INCIDENT]).stdout).toContain('retry-new-key')
    expect(run(['tui', '--config', config, INCIDENT]).stdout).not.toContain('retry-new-key')
    writeFileSync(config, JSON.stringify({ severity: {} }))
    const { status, stderr } = run(['tui', '--config', config, INCIDENT])
    expect(status).toBe(2)
    expect(stderr).toContain('there is no field "severity" here')
  })

  it('an empty store says as text what to do, too', () => {
    expect(run(['tui'], { HANDSPAN_DIR: newPlace() }).stdout).toMatch(
      /^no runs yet: .*handspan(\.js)? demo .*import FILE/,
    )
  })

  it('without a word and without a terminal there is help', () => {
    const { stdout, stderr } = run([])
    expect(stdout + stderr).toContain('Usage: handspan')
  })

  it.each([
    ['TERM=dumb', { TERM: 'dumb' }, []],
    ['CI', { CI: 'true' }, []],
    ['--plain', {}, ['--plain']],
  ])('%s on a terminal gets text', async (_, env, flags) => {
    const tui = await program(['tui', ...flags, INCIDENT], { env })
    expect(await tui.ended).toMatchObject({ exitCode: 0 })
    expect(tui.raw()).not.toContain(ENTERED)
    expect(tui.raw()).toContain('Replay of run order-4711')
  })
})
