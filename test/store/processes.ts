import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'tsup'
import { afterAll, onTestFinished } from 'vitest'

const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', `handspan-test-${process.pid}`)
const built = new Map<string, Promise<string>>()
afterAll(() => {
  built.clear()
  rmSync(folder, { recursive: true, force: true })
})

/** Builds a script beside this file, so that plain node runs it. */
export function script(name: 'child' | 'thread'): Promise<string> {
  const path = built.get(name) ?? buildScript(name)
  built.set(name, path)
  return path
}

async function buildScript(name: string): Promise<string> {
  await build({
    entry: { [name]: join(import.meta.dirname, `${name}.ts`) },
    outDir: folder,
    format: 'esm',
    target: 'node20',
    loader: { '.sql': 'text' },
    config: false,
    silent: true,
    outExtension: () => ({ js: '.mjs' }),
  })
  return join(folder, `${name}.mjs`)
}

export type Running = {
  process: ChildProcess
  /** The next line it says, decoded; undefined when it has ended. */
  next(): Promise<Record<string, unknown> | undefined>
  kill(): Promise<void>
  ended: Promise<number | null>
}

/** Runs child.ts with some arguments; killed after the test. */
export async function run(...args: string[]): Promise<Running> {
  return start(process.execPath, [await script('child'), ...args])
}

/** The same in a shell in which no file may grow beyond a number of blocks of 512 bytes. */
export async function runWithFileLimit(blocks: number, ...args: string[]): Promise<Running> {
  return start('sh', [
    '-c',
    `ulimit -f ${blocks}; exec "$@"`,
    'sh',
    process.execPath,
    await script('child'),
    ...args,
  ])
}

function start(command: string, args: string[]): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  return {
    process: child,
    next: async () => {
      const { value, done } = await lines.next()
      return done ? undefined : JSON.parse(value)
    },
    kill,
    ended,
  }
}
