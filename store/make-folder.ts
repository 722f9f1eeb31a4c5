import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it that are missing; `mode` is its own. Throws what the file system throws. Asked for all of
 * them at once, Node tries for ever where none can be made, as in /proc.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return
  if (dirname(resolve(folder)) !== resolve(folder)) makeFolder(dirname(resolve(folder)))
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}
