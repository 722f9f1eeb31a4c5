import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refusedBy, StoreError } from './errors.ts'
import { makeFolder } from './make-folder.ts'

/** The files of one store. Every path is real: two ways to one directory give the same paths. */
export type StorePaths = {
  directory: string
  /** The DuckDB file. Only its owner's DuckDB opens it; nothing reads it with the file system. */
  database: string
  /** Where agents write: `<host>-<pid>-<start>-<n>.jsonl`. */
  spool: string
  /** Where the owner's DuckDB writes what leaves the store: backups, exports, the next database. */
  outgoing: string
  /** Where the owner listens. */
  socket: string
}

// sockaddr_un holds 108 bytes on Linux and 104 on macOS, a closing zero included.
const LONGEST_SOCKET_PATH = 100

/** Finds the paths of a store. Throws `directory-missing`, or `not-writable` if it is to be created and cannot be. */
export function storePaths(directory: string, options: { create?: boolean } = {}): StorePaths {
  if (options.create) {
    try {
      makeFolder(directory, 0o700)
    } catch (error) {
      throw refusedBy(error, directory)
    }
  }
  const exists = existsSync(directory)
  if (!exists || !lstatSync(realpathSync(directory)).isDirectory()) {
    const fault = exists ? 'is not a directory' : 'does not exist'
    throw new StoreError('directory-missing', `${directory} ${fault}.`, {
      path: directory,
      remedy: 'Record a run or import a run-log file first, or name another directory with HANDSPAN_DIR.',
    })
  }
  const real = realpathSync(directory)
  return {
    directory: real,
    database: databaseIn(real),
    spool: join(real, 'spool'),
    outgoing: join(real, 'outgoing'),
    socket: socketPath(real),
  }
}

/** Where the database of a directory is. */
export function databaseIn(directory: string): string {
  return join(directory, 'handspan.duckdb')
}

function socketPath(directory: string): string {
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\handspan-${name}`
  const beside = join(directory, 'handspan.sock')
  return Buffer.byteLength(beside) <= LONGEST_SOCKET_PATH ? beside : join(privateFolder(), `${name}.sock`)
}

/** A folder in the temporary directory that only this user can write: a socket there must not be somebody else's. */
function privateFolder(): string {
  const user = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `handspan-${user}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o022) !== 0) {
    throw new StoreError('not-writable', `${folder} belongs to somebody else or can be written by others.`, {
      path: folder,
      remedy: 'Remove it, or name a store directory with a shorter path.',
    })
  }
  return folder
}
