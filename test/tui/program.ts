import { resolve } from 'node:path'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { expect, onTestFinished } from 'vitest'
import { screenText } from './stage.ts'

const BINARY = resolve(import.meta.dirname, '../../dist/handspan.js')

// A process start on a busy machine; nothing is judged by it.
const PATIENCE = 25_000

/** The built command in a pseudo-terminal whose screen can be read; in a `shell` script, which starts it as `"$@"`. */
export async function program(
  args: readonly string[],
  {
    columns = 80,
    rows = 24,
    env = {},
    shell,
  }: { columns?: number; rows?: number; env?: Record<string, string>; shell?: string } = {},
) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const { CI: _, NO_COLOR: __, ...inherited } = process.env
  const command = [process.execPath, BINARY, ...args]
  const [file, ...rest] = shell === undefined ? command : ['/bin/sh', '-c', shell, 'sh', ...command]
  const child = spawn(file!, rest, {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    env: { ...inherited, ...env },
  })
  let raw = ''
  let size = rows
  child.onData((data) => {
    raw += data
    terminal.write(data)
  })
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((done) => child.onExit(done))
  let over = false
  void ended.then(() => {
    over = true
  })
  onTestFinished(() => {
    if (!over) child.kill('SIGKILL')
  })
  const screen = () => screenText(terminal, size)
  return {
    press: (keys: string) => child.write(keys),
    resize: (toColumns: number, toRows: number) => {
      size = toRows
      terminal.resize(toColumns, toRows)
      child.resize(toColumns, toRows)
    },
    kill: (signal: string) => process.kill(child.pid, signal),
    /** Waits until the screen holds it. */
    shows: (what: RegExp) => expect.poll(screen, { timeout: PATIENCE, interval: 30 }).toMatch(what),
    screen,
    /** Everything that was sent to the terminal. */
    raw: () => raw,
    ended,
  }
}
