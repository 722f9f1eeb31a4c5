import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseEventLine } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'
import { StoreError } from './errors.ts'
import { readLines } from './lines.ts'

/** A line that was not read: where it stands and why. */
export type Refused = { file: string; line: number; reason: string }

/** Events of run-log files, and what could not be read. The good lines around a bad one are read. */
export type ReadLog = { events: RunEvent[]; refused: Refused[] }

/** Reads run-log files without a database; a directory means its `.jsonl` files, `-` means stdin. Throws `unreadable`. */
export async function readLogFiles(paths: readonly string[]): Promise<ReadLog> {
  const log: ReadLog = { events: [], refused: [] }
  for (const path of paths) {
    if (path === '-') await readStdin(log)
    else for (const file of await filesOf(path)) await readFile(file, log)
  }
  return log
}

/** True if the argument names something on disk (or stdin) rather than a run. */
export async function isLogPath(path: string): Promise<boolean> {
  if (path === '-') return true
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new StoreError('unreadable', `${path} cannot be read: ${error.code ?? error.message}`, {
      path,
      remedy: 'Name a run-log file, a directory of them, or - for stdin.',
    })
  })
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => name.endsWith('.jsonl')).sort()
  if (names.length === 0)
    throw new StoreError('unreadable', `${path} holds no .jsonl file`, {
      path,
      remedy: 'Name a run-log file or a directory of them.',
    })
  return names.map((name) => join(path, name))
}

async function readFile(file: string, log: ReadLog): Promise<void> {
  const handle = await open(file, 'r')
  try {
    for await (const { lines } of readLines(handle, { offset: 0, number: 1 }, { final: true })) {
      for (const { text, number, bytes, tooLong } of lines) {
        if (tooLong)
          log.refused.push({ file, line: number, reason: `${bytes} bytes are more than one event may have` })
        else readLine(text, { file, line: number }, log)
      }
    }
  } finally {
    await handle.close()
  }
}

async function readStdin(log: ReadLog): Promise<void> {
  let line = 0
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    if (text.trim() !== '') readLine(text, { file: 'stdin', line }, log)
  }
}

function readLine(text: string, place: { file: string; line: number }, log: ReadLog): void {
  const { event, reason } = parseEventLine(text)
  if (event === undefined) log.refused.push({ ...place, reason })
  else log.events.push(event)
}
