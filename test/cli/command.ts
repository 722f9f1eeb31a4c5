import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach } from 'vitest'

/** The built command, as `npm test` builds it before the tests. */
export const BINARY = resolve(import.meta.dirname, '../../dist/handspan.js')

export type Ended = { code: number | null; stdout: string; stderr: string }

/** The environment of a shell: without what npm told whoever runs the tests, which would be told to the command as well. */
export const SHELL = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$)/.test(name)),
)

/** Runs the real command in a process of its own. Colours are off unless asked for. */
export function handspan(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string | Buffer } = {},
): Promise<Ended> {
  return runNode([BINARY, ...args], options)
}

/** Runs a Node program to its end. */
export function runNode(
  args: readonly string[],
  { cwd, env, input }: { cwd?: string; env?: Record<string, string>; input?: string | Buffer } = {},
): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { cwd, env: { ...SHELL, NO_COLOR: '1', ...env } })
    const out: string[] = []
    const err: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text))
    child.on('error', fail)
    child.on('close', (code) => done({ code, stdout: out.join(''), stderr: err.join('') }))
    child.stdin.end(input)
  })
}

/** What a command complains about: stderr without the progress that it tells when a busy machine makes it slow. */
export function complaints(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !/^(reading: |judging: |judged \d|trying: )/.test(line))
    .join('\n')
}

const folders: string[] = []

/** A folder of its own for one test; removed after it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'handspan-test-'))
  folders.push(folder)
  return folder
}

/** Writes a run log into a folder and gives its path. Strings are written as they are, so that bad lines can be. */
export function writeLog(folder: string, name: string, lines: readonly (object | string)[]): string {
  const path = join(folder, name)
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  )
  return path
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
