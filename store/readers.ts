import type { Database } from './database.ts'
import type { DuckDBConnection } from './duckdb.ts'
import { StoreError } from './errors.ts'
import type { Gate } from './gate.ts'
import { interruptAtExit } from './interrupt-at-exit.ts'
import { watchMemory } from './memory-watch.ts'

/** How long a query may take, and how much memory. */
export type ReadBounds = { timeoutMs?: number | undefined; memoryBytes?: number | undefined }

/**
 * Reads over a connection of its own, so that one query is ended without ending another one's. Throws `timed-out` or
 * `out-of-memory` when a bound is passed.
 */
export async function readWithin<T>(
  { instance }: Pick<Database, 'instance'>,
  signal: AbortSignal,
  act: (connection: DuckDBConnection) => Promise<T>,
  { timeoutMs, memoryBytes }: ReadBounds = {},
): Promise<T> {
  const connection = await instance.connect()
  const forget = interruptAtExit(connection)
  let ended: StoreError | undefined
  const endWith = (why: StoreError) => {
    ended ??= why
    connection.interrupt()
  }
  const interrupt = () => connection.interrupt()
  signal.addEventListener('abort', interrupt)
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => endWith(timedOut(timeoutMs)), timeoutMs)
  const unwatch =
    memoryBytes === undefined
      ? undefined
      : await watchMemory(instance, memoryBytes, () => endWith(outOfMemory(memoryBytes)))
  try {
    // Whoever asked may have gone while the file was exchanged.
    signal.throwIfAborted()
    return await act(connection)
  } catch (error) {
    throw ended ?? error
  } finally {
    clearTimeout(timer)
    unwatch?.()
    signal.removeEventListener('abort', interrupt)
    forget()
    connection.closeSync()
  }
}

/** The same for the owner's readers, who wait while the file is exchanged. */
export async function readBehind<T>(
  gate: Gate,
  database: Database,
  signal: AbortSignal,
  act: (connection: DuckDBConnection) => Promise<T>,
  bounds?: ReadBounds,
): Promise<T> {
  const leave = await gate.enter()
  try {
    return await readWithin(database, signal, act, bounds)
  } finally {
    leave()
  }
}

function timedOut(timeoutMs: number): StoreError {
  return new StoreError('timed-out', `The query was ended after ${timeoutMs} ms.`, {
    remedy: 'Ask for less (a run, a day), or allow more time with --timeout.',
  })
}

function outOfMemory(bytes: number): StoreError {
  return new StoreError(
    'out-of-memory',
    `The query was ended: it took more than ${Math.round(bytes / 1e6)} MB.`,
    {
      remedy: 'Ask for less (a run, a day, fewer columns), or allow more memory with --memory.',
    },
  )
}
