import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Puts a file in the place of another one, which keeps a second name if one is given. Whenever the process ends, one of
 * the two is there as a whole. Neither file is opened: a database would lose its lock.
 */
export function putInPlace(next: string, place: string, keep?: string): void {
  if (keep !== undefined && existsSync(place)) keepUnder(place, keep)
  renameSync(next, place)
  syncFolder(dirname(place))
}

/** Gives a file a second name, if nothing has that name yet: of several who do so at once, one is first. */
export function putIfNothingIs(next: string, place: string): void {
  try {
    linkSync(next, place)
  } catch {
    // It is there by now, or the file system has no second names.
    if (existsSync(place)) return
    renameSync(next, place)
  }
  syncFolder(dirname(place))
}

/** A name that nothing has yet: the wanted one, or the wanted one with a number. */
export function freeName(wanted: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}.${n}`
    if (!existsSync(name)) return name
  }
}

function keepUnder(place: string, keep: string): void {
  try {
    linkSync(place, keep)
  } catch {
    // Some file systems have no second names. Then there is a moment in which only the kept name is there.
    renameSync(place, keep)
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
