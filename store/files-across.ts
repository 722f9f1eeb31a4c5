import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ulid } from 'ulid'
import { StoreError, translateError } from './errors.ts'
import { refuseDatabase } from './find-files.ts'
import type { StorePaths } from './paths.ts'

/** Refuses a place for a backup: the store's own files, a folder, a folder that is missing, a file that is not to be replaced. */
export function refusePlace(file: string, paths: StorePaths, overwrite: boolean): void {
  const folder = dirname(resolve(file))
  const missing = statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true
  if (missing) {
    throw new StoreError('unreadable', `There is no folder ${folder}.`, {
      path: folder,
      remedy: 'Make it, or name another place.',
    })
  }
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  refuseDatabase(file, paths.database)
  if (found.isDirectory() || !overwrite) {
    throw new StoreError('not-empty', `${file} is there already.`, {
      path: file,
      remedy: found.isDirectory() ? 'Name a file.' : 'Name another file, or say --overwrite.',
    })
  }
}

/** Moves a file to its place, where nobody sees half of it. Returns its size in bytes. */
export function takeOut(from: string, to: string): number {
  const { size } = statSync(from)
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw translateError(error, to)
    copyAside(from, to)
    rmSync(from, { force: true })
  }
  return size
}

/** Copies a file of the outside into the store. Returns the path of the copy. Throws `unreadable`, `not-a-backup`. */
export function bringIn(file: string, paths: StorePaths): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new StoreError('unreadable', `${file} is no file.`, { path: file, remedy: 'Check the path.' })
  }
  refuseDatabase(file, paths.database)
  if (existsSync(`${file}.wal`)) {
    throw new StoreError(
      'not-a-backup',
      `${file} was copied while it was open: a part of it is in ${file}.wal.`,
      {
        path: file,
        remedy: 'Open and close it once with the DuckDB shell, or name a file that handspan backup wrote.',
      },
    )
  }
  const copy = join(paths.outgoing, `${ulid()}.duckdb`)
  copyAside(file, copy)
  return copy
}

function copyAside(from: string, to: string): void {
  const aside = `${to}.${process.pid}.part`
  try {
    copyFileSync(from, aside)
    const handle = openSync(aside, 'r+')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(aside, to)
  } catch (error) {
    throw translateError(error, to)
  } finally {
    rmSync(aside, { force: true })
  }
}
