import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isLogName } from '../model/log-name.ts'
import { StoreError } from './errors.ts'
import { filesBelow } from './log-files.ts'
import { refusePipe } from './refuse-pipe.ts'
import { recognisePath } from './span-files.ts'
import { type Unread, whyUnread } from './why-unread.ts'

/** A file to import. `name` is what it is called in quarantine and reports; `unread` says why it must not be opened. */
export type ImportFile = { path: string; name: string; unread?: Unread }

/**
 * The files that paths name: a file as it is, of a folder what is to be imported below it. A path that is not there is
 * among them, as are a folder without such files and the database itself: all `unread`.
 */
export async function findFiles(paths: readonly string[], database: string): Promise<ImportFile[]> {
  const found: ImportFile[] = []
  for (const path of paths) found.push(...(await filesAt(resolve(path), database)))
  return found
}

async function filesAt(path: string, database: string): Promise<ImportFile[]> {
  try {
    refusePipe(path)
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return await filesIn(real, database)
    return [guarded(real, database)]
  } catch (error) {
    return [{ path, name: path, unread: { file: path, ...whyUnread(path, error) } }]
  }
}

/** Every .jsonl and .ndjson file below a folder, and the .json files with spans, in the order of their names. */
async function filesIn(folder: string, database: string): Promise<ImportFile[]> {
  const named = await filesBelow(folder, (name) => isLogName(name) || name.endsWith('.json'))
  const files: ImportFile[] = []
  // One after the other: a document is held whole to be recognised.
  for (const path of named) {
    const file = guarded(path, database)
    if (file.unread !== undefined || isLogName(path) || (await mayHoldSpans(path))) files.push(file)
  }
  if (files.length > 0) return files
  throw new StoreError(
    'unreadable',
    `${folder} holds no .jsonl or .ndjson file, and no .json file with spans.`,
    {
      path: folder,
      remedy: 'Name files with other endings one by one.',
    },
  )
}

/** Who reads a file that cannot be recognised says why. */
async function mayHoldSpans(path: string): Promise<boolean> {
  try {
    const form = await recognisePath(path)
    return form !== 'run-log' && form !== 'other'
  } catch {
    return true
  }
}

function guarded(path: string, database: string): ImportFile {
  try {
    refuseDatabase(path, database)
    return { path, name: path }
  } catch (error) {
    return { path, name: path, unread: { file: path, ...whyUnread(path, error) } }
  }
}

/**
 * Opening and closing the database file in the process that owns it would drop DuckDB's lock and let a second writer in.
 * Compared by device and inode, so that no other name for it gets through.
 */
export function refuseDatabase(path: string, database: string): void {
  const one = statSync(path)
  for (const own of [database, `${database}.wal`]) {
    const other = statSync(own, { throwIfNoEntry: false })
    if (other !== undefined && other.ino === one.ino && other.dev === one.dev) {
      throw new StoreError('unreadable', `${path} is the database of this store itself.`, {
        path,
        remedy: 'Name another file.',
      })
    }
  }
}
