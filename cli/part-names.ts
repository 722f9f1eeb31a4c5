import { isLogName } from '../model/log-name.ts'
import { StoreError } from '../store/errors.ts'
import { isLogPath } from '../store/log-files.ts'
import { readableFiles, type Unread } from '../store/readable-files.ts'
import { whyUnread } from '../store/why-unread.ts'
import { UsageError } from './output.ts'

/** What arguments name: files that can be read (`-` is stdin), those that led to them, and runs of the store. */
export type Parted = { paths: string[]; given: string[]; runs: string[] }

/** Parts arguments into files and runs. A file that cannot be read is passed to `pass`, and keeps no other from being read. */
export async function partNames(names: readonly string[], pass: (unread: Unread) => void): Promise<Parted> {
  const parted: Parted = { paths: [], given: [], runs: [] }
  for (const name of names) {
    // A name that ends like a run log's means a file; the search for a run of that name would hide that it is missing.
    if (isLogName(name) || (await isLogPath(name))) {
      const files = await readableFiles(name, pass)
      parted.paths.push(...files)
      if (files.length > 0) parted.given.push(name)
    } else parted.runs.push(name)
  }
  return parted
}

/** Why something was not looked at. Throws the error on if it says nothing of that: then the fault is elsewhere. */
export function unreadBecause(name: string, error: unknown): Unread {
  if (error instanceof StoreError || error instanceof UsageError) {
    return { file: name, reason: error.message, remedy: error.remedy }
  }
  return { file: name, ...whyUnread(name, error) }
}
