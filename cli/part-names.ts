import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { isLogName } from '../model/log-name.ts'
import { StoreError } from '../store/errors.ts'
import { filesOf, isLogPath } from '../store/log-files.ts'
import { UsageError } from './output.ts'

/** What a command was told to look at and could not: the argument or file, why, and what to do. */
export type Unread = { name: string; reason: string; remedy: string }

/** What arguments name: files that can be read (`-` is stdin), those that led to them, and runs of the store. */
export type Parted = { paths: string[]; given: string[]; runs: string[] }

/** Parts arguments into files and runs. A file that cannot be read is passed to `pass`, and keeps no other from being read. */
export async function partNames(names: readonly string[], pass: (unread: Unread) => void): Promise<Parted> {
  const parted: Parted = { paths: [], given: [], runs: [] }
  for (const name of names) {
    if (await isLogPath(name)) {
      const files = name === '-' ? [name] : await readable(name, pass)
      parted.paths.push(...files)
      if (files.length > 0) parted.given.push(name)
    }
    // A name that ends like a run log's means a file; the search for a run of that name would hide that it is missing.
    else if (isLogName(name)) pass({ name, reason: `${name} does not exist`, remedy: 'Check the path.' })
    else parted.runs.push(name)
  }
  return parted
}

/** Why something was not looked at. Throws the error on if it says nothing of that: then the fault is elsewhere. */
export function unreadBecause(name: string, error: unknown): Unread {
  if (error instanceof StoreError || error instanceof UsageError) {
    return { name, reason: error.message, remedy: error.remedy }
  }
  const { code, message, path = name } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  // Of a folder it may be something below it; the call that failed says nothing to the reader.
  const why = message.replace(/, \w+ '[\s\S]*$/, '')
  return { name, reason: `${path} cannot be read: ${why}`, remedy: 'Make it readable for this user.' }
}

async function readable(path: string, pass: (unread: Unread) => void): Promise<string[]> {
  const found: string[] = []
  try {
    if ((await stat(path)).isFIFO()) {
      const remedy = 'Pipe what it gives into the command, and name - for it.'
      pass({ name: path, reason: `${path} is no file but a pipe`, remedy })
      return []
    }
    for (const file of await filesOf(path)) {
      const fault = await access(file, constants.R_OK).catch((error) => unreadBecause(file, error))
      if (fault === undefined) found.push(file)
      else pass(fault)
    }
  } catch (error) {
    pass(unreadBecause(path, error))
  }
  return found
}
