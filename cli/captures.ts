import { type Stats, statSync } from 'node:fs'
import { systemWords } from '../model/system-words.ts'
import { makeFolder } from '../store/make-folder.ts'
import { databaseIn } from '../store/paths.ts'
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
  const database = databaseIn(directory)
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
    makeFolder(directory, mode)
  } catch (error) {
    throw new UsageError(
      `${directory} cannot be made: ${systemWords(error as Error)}`,
      `Name another directory with ${option}.`,
    )
  }
}

function look(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
