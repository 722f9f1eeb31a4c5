import fs from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder and those above it that are missing, each for its owner only. Throws what the file system throws. Asked for
 * all of them at once, Node tries for ever where none can be made, as in /proc.
 */
export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
