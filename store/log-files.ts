import type { Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { isLogName } from '../model/log-name.ts'
import { parseEventLine } from '../model/parse-event.ts'
import type { RunEvent } from '../model/run-log.ts'
import { StoreError } from './errors.ts'
import { type ByteSource, type Line, readLines } from './lines.ts'
import { refuseUtf16 } from './refuse-utf16.ts'

/** A line that was not read: where it stands and why. */
export type Refused = { file: string; line: number; reason: string }

/** One line of a run log: its text (the beginning of it, if `tooLong`) and its number from 1. */
export type LogLine = Pick<Line, 'text' | 'number' | 'bytes'> & Partial<Pick<Line, 'tooLong'>>

/** Events of run-log files, and what could not be read. The good lines around a bad one are read. */
export type ReadLog = { events: RunEvent[]; refused: Refused[] }

/** Reads run-log files without a database; a directory means the logs below it, `-` means stdin. Throws `unreadable`. */
export async function readLogFiles(paths: readonly string[]): Promise<ReadLog> {
  const log: ReadLog = { events: [], refused: [] }
  for (const path of paths) {
    if (path === '-') addLines('stdin', await linesOfStdin(), log)
    else
      for (const file of await filesOf(path))
        for await (const lines of linesOfFile(file)) addLines(file, lines, log)
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

/** The files that a path names: itself, or the logs of a folder. Throws `unreadable`. */
export async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new StoreError('unreadable', `${path} cannot be read: ${error.code ?? error.message}`, {
      path,
      remedy: 'Name a run-log file, a directory of them, or - for stdin.',
    })
  })
  if (!found.isDirectory()) return [path]
  const files = await filesBelow(path, isLogName)
  if (files.length === 0)
    throw new StoreError('unreadable', `${path} holds no .jsonl or .ndjson file.`, {
      path,
      remedy: 'Name files with other endings one by one. handspan import takes in spans that others wrote.',
    })
  return files
}

/**
 * Every file of a folder and the folders below it that has a name as is wanted, in the order of their names. A folder below
 * it that cannot be listed stands for what is in it, and a link for what it leads to: who opens it learns why it cannot be
 * read. Links to folders are not followed, since they may lead round in a circle.
 */
export async function filesBelow(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path, isWanted).catch(() => [path])
      return isWanted(entry.name) && (await isFile(path, entry)) ? [path] : []
    }),
  )
  return found.flat()
}

async function isFile(path: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return stat(path).then(
    (found) => found.isFile(),
    () => true,
  )
}

/** The lines of a file that are not blank, in batches. */
export async function* linesOfFile(file: string): AsyncGenerator<readonly LogLine[]> {
  const handle = await open(file, 'r')
  try {
    for await (const { lines } of readLines(handle, { offset: 0, number: 1 }, { final: true })) yield lines
  } finally {
    await handle.close()
  }
}

let stdin: Promise<LogLine[]> | undefined

/** The lines of stdin that are not blank. It can be read once: whoever asks again gets the same. Throws `unreadable`. */
export function linesOfStdin(): Promise<LogLine[]> {
  stdin ??= readStdin()
  return stdin
}

async function readStdin(): Promise<LogLine[]> {
  const whole = await buffer(process.stdin)
  refuseUtf16(whole, 'stdin')
  const bytes: ByteSource = {
    read: async (chunk, offset, length, position) => ({
      bytesRead: whole.copy(chunk, offset, position, position + length),
    }),
  }
  const lines: LogLine[] = []
  for await (const batch of readLines(bytes, { offset: 0, number: 1 }, { final: true }))
    lines.push(...batch.lines)
  return lines
}

/** The event of a line, or why it holds none. */
export function readLogLine(
  file: string,
  line: LogLine,
): { event: RunEvent } | { event?: undefined; refused: Refused } {
  if (line.tooLong === true) {
    const reason = `${line.bytes} bytes are more than one event may have`
    return { refused: { file, line: line.number, reason } }
  }
  const { event, reason } = parseEventLine(line.text)
  return event === undefined ? { refused: { file, line: line.number, reason } } : { event }
}

function addLines(file: string, lines: readonly LogLine[], log: ReadLog): void {
  for (const line of lines) {
    const read = readLogLine(file, line)
    if (read.event === undefined) log.refused.push(read.refused)
    else log.events.push(read.event)
  }
}
