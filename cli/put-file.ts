import {
  accessSync,
  chmodSync,
  constants,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { refusedBy } from '../store/errors.ts'
import { UsageError } from './output.ts'

/**
 * Writes a file whole or not at all: `write` gets a place in the same folder, which is then given the name; what was there
 * stays until then, its mode and the links to it beyond. What is no file (a pipe, a device, an open descriptor), and a
 * file whose folder takes no other one, is written as it is. Throws UsageError or StoreError, which say why it was not.
 */
export async function putFile(path: string, write: (place: string) => void | Promise<void>): Promise<void> {
  try {
    await put(path, write)
  } catch (error) {
    throw error instanceof UsageError ? error : refusedBy(error, path)
  }
}

async function put(path: string, write: (place: string) => void | Promise<void>): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder.`, 'Name a file.')
  const folder = dirname(resolve(path))
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`There is no folder ${folder}.`, 'Make it, or name another place.')
  // What writes may name the place that it got, which nobody knows.
  if (found === undefined) accessSync(folder, constants.W_OK)
  const place = found === undefined ? path : realpathSync(path)
  if (found !== undefined && !canBeReplaced(path, found, dirname(place))) return write(path)
  const aside = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`)
  const remove = () => rmSync(aside, { force: true })
  // An interrupt ends the process without coming back here.
  process.once('exit', remove)
  try {
    await write(aside)
    if (found !== undefined) chmodSync(aside, found.mode & 0o7777)
    renameSync(aside, place)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** `/dev/stdout` may lead to a file, which whoever opened it goes on writing. */
const DESCRIPTORS = /^\/(proc\/|dev\/(stdout|stderr|fd\/))/

function canBeReplaced(path: string, found: Stats, folder: string): boolean {
  if (!found.isFile() || DESCRIPTORS.test(resolve(path))) return false
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
