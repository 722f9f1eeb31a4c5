import { mkdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from './output.ts'
import { pasted } from './render/pasted.ts'

const MOVE = 'Move it away, or name another directory with --dir.'

/** What to do where nothing is recorded yet. */
export function howToRecord(directory: string): string {
  return (
    `Record a run with start() from 'handspan', import a log (${pasted(['import', 'FILE'], directory)}), ` +
    `or try: ${pasted(['demo'], directory)}`
  )
}

/** Sees that a directory is there and can hold captures. Throws UsageError. */
export function findCaptures(directory: string): void {
  const found = look(directory)
  if (found === undefined) {
    throw new UsageError(
      `${directory} does not exist.`,
      `Name the directory of the captures with --dir, or begin one. ${howToRecord(directory)}`,
    )
  }
  if (!found.isDirectory()) throw new UsageError(`${directory} is not a directory.`, MOVE)
  const database = join(directory, 'handspan.duckdb')
  if (look(database)?.isDirectory())
    throw new UsageError(`${database} is a directory, where the database has to be.`, MOVE)
}

/** The same, and makes a directory that is missing. */
export function makeCaptures(directory: string): void {
  makeDirectory(directory, '--dir', 0o700)
  findCaptures(directory)
}

/** Makes a directory that an option names, if it is missing. Throws UsageError. */
export function makeDirectory(directory: string, option: string, mode?: number): void {
  try {
    makeFolder(resolve(directory), mode)
  } catch (error) {
    const why = (error as Error).message.replace(/^\w+: |, \w+ '[\s\S]*$/g, '')
    throw new UsageError(`${directory} cannot be made: ${why}`, `Name another directory with ${option}.`)
  }
}

/** Folder by folder: asked for all of them at once, Node never comes back from a place like /proc that lets none be made. */
function makeFolder(path: string, mode?: number): void {
  if (look(path) !== undefined) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (look(path) === undefined) throw error
  }
}

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
