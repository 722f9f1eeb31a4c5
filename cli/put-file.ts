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

/**
 * Writes a file whole or not at all: `write` gets a place in the same folder, which is then given the name; what was there
 * stays until then, its mode and the links to it beyond. What is no file (a pipe, a device, an open descriptor), and a
 * file whose folder takes no other one, is written as it is. Throws what `write` and the file system throw.
 */
export async function putFile(path: string, write: (place: string) => void | Promise<void>): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false })
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
