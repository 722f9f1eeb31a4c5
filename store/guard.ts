import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { StoreError } from './errors.ts'

/*
 * The lock that DuckDB takes on its file keeps other processes out, but not a second opening in the same process, on the
 * same thread or on another one, and two writers in one process ruin the file. This guard closes that gap: whoever
 * wants to open the database first creates a file named after the process, which only one of its threads can do.
 */

/** Claims the directory for this process. Returns the release. Throws `open-twice` if a thread of it already has it. */
export function claimForProcess(directory: string): () => void {
  const path = join(directory, `${prefix()}${process.pid}.lock`)
  const started = processStart()
  if (!create(path, started)) {
    if (!isLeftOver(path, started)) throw openTwice(directory)
    rmSync(path, { force: true })
    if (!create(path, started)) throw openTwice(directory)
  }
  return () => rmSync(path, { force: true })
}

/** Removes what processes of this host left that did not end well. Only for the owner. */
export function removeLeftOverClaims(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix()) || !name.endsWith('.lock')) continue
    const pid = Number(name.slice(prefix().length, -'.lock'.length))
    if (!isAlive(pid)) rmSync(join(directory, name), { force: true })
  }
}

function prefix(): string {
  return `owner-${hostname().replace(/[^A-Za-z0-9.-]/g, '_')}-`
}

function create(path: string, started: string): boolean {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(file, started)
    return true
  } catch (error) {
    // On a full disk: an empty claim would keep this process out once there is room again.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** True if an earlier process with this number wrote it. A file not yet written belongs to a thread that is at it. */
function isLeftOver(path: string, started: string): boolean {
  try {
    const text = readFileSync(path, 'utf8')
    return text !== '' && text !== started
  } catch {
    return false
  }
}

/** When this process began, as the system says it: what clocks do later must not change the answer. */
function processStart(): string {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // Field 22, counted behind the command's closing bracket, since the command may hold blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    try {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(process.pid)], { encoding: 'utf8' }).trim()
    } catch {
      return ''
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function openTwice(directory: string): StoreError {
  return new StoreError('open-twice', `This process has already opened the store in ${directory}.`, {
    path: directory,
    remedy: 'Use the store that is open, or close it first.',
  })
}
