import { systemWords } from '../model/system-words.ts'

/** What can go wrong with a store, as a word that programs may test. */
export type StoreErrorCode =
  | 'directory-missing'
  | 'not-writable'
  | 'disk-full'
  | 'not-a-database'
  | 'newer-schema'
  | 'older-schema'
  | 'locked'
  | 'owner-silent'
  | 'owner-gone'
  | 'open-twice'
  | 'unreadable'
  | 'no-such-run'
  | 'query-refused'
  | 'query-failed'
  | 'timed-out'
  | 'busy'
  | 'not-empty'
  | 'not-a-backup'
  | 'not-a-lake'
  | 'out-of-memory'

/** An expected failure of the store: what failed, the path it failed on, and what to do about it. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  readonly path?: string | undefined
  readonly remedy: string

  constructor(
    code: StoreErrorCode,
    message: string,
    details: { path?: string; remedy: string; cause?: unknown },
  ) {
    super(message, { cause: details.cause })
    this.name = 'StoreError'
    this.code = code
    this.path = details.path
    this.remedy = details.remedy
  }
}

/** Whoever was asked ended before the answer. Every question may be asked again of the next owner. */
export function ownerGone(): StoreError {
  return new StoreError('owner-gone', 'The process that had the store open has ended.', {
    remedy: 'Run the command again.',
  })
}

/** A StoreError as it crosses the socket. */
export type StoreErrorForm = { code?: StoreErrorCode; message: string; path?: string; remedy?: string }

export function errorForm(error: unknown): StoreErrorForm {
  if (!(error instanceof StoreError))
    return { message: error instanceof Error ? error.message : String(error) }
  const { code, message, path, remedy } = error
  return path === undefined ? { code, message, remedy } : { code, message, path, remedy }
}

export function errorOf(form: StoreErrorForm): Error {
  if (form.code === undefined) return new Error(form.message)
  return new StoreError(form.code, form.message, {
    remedy: form.remedy ?? '',
    ...(form.path === undefined ? {} : { path: form.path }),
  })
}

/** The process that holds the lock, as DuckDB's message names it; undefined if the error is no lock error. */
export function lockHolder(error: unknown): { pid?: number } | undefined {
  const message = error instanceof Error ? error.message : ''
  if (!/Could not set lock on file/i.test(message)) return undefined
  const pid = /\(PID (\d+)\)/.exec(message)?.[1]
  return pid === undefined ? {} : { pid: Number(pid) }
}

/** DuckDB and the file system report in words and codes of their own; this says which expected failure it is. */
export function translateError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error
  const { message } = error
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC' || code === 'EFBIG' || noSpace(message)) {
    return new StoreError(
      'disk-full',
      `The disk that holds ${path} is full, or a limit on file sizes is reached.`,
      {
        path,
        remedy: 'Free some space and run the command again. Nothing that was stored is lost.',
        cause: error,
      },
    )
  }
  if (isUnsound(message)) {
    return new StoreError(
      'not-a-database',
      `${path} is not a DuckDB database, or it is damaged: ${firstLine(message)}`,
      {
        path,
        remedy:
          'Move it away. A new one is built from the spool, a backup can be restored, and run-log files can be imported again.',
        cause: error,
      },
    )
  }
  if (/database file with version number|storage version|newer version of DuckDB/i.test(message)) {
    return new StoreError(
      'newer-schema',
      `${path} was written by another version of DuckDB: ${firstLine(message)}`,
      {
        path,
        remedy: 'Use the handspan that wrote it, or move the file away to build a new one.',
        cause: error,
      },
    )
  }
  if (
    code === 'EACCES' ||
    code === 'EROFS' ||
    code === 'EPERM' ||
    code === 'ENOTDIR' ||
    cannotOpen(message)
  ) {
    return notWritable(path, error)
  }
  return error
}

/** What it means that the file system refused a new file or folder there. */
export function refusedBy(error: unknown, path: string): StoreError {
  const known = translateError(error, path)
  return known instanceof StoreError ? known : notWritable(path, error as Error)
}

function notWritable(path: string, cause: Error): StoreError {
  return new StoreError('not-writable', `${path} cannot be written: ${firstLine(systemWords(cause))}`, {
    path,
    remedy: 'Make it writable for this user, or name another place.',
    cause,
  })
}

/** True if DuckDB says that a file is not what it should be: another format, cut off, or changed on the disk. */
export function isUnsound(message: string): boolean {
  return /not a valid (DuckDB )?database|corrupt database file|checksum|could not read (enough bytes )?from file/i.test(
    message,
  )
}

function noSpace(message: string): boolean {
  return /no space left on device|disk is full|disk quota exceeded|file too large/i.test(message)
}

function cannotOpen(message: string): boolean {
  return /cannot open file|permission denied|read-only file system|not a directory/i.test(message)
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]!
}
