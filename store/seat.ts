import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from './client.ts'
import { lockHolder, StoreError } from './errors.ts'
import { Owner } from './owner.ts'
import type { StorePaths } from './paths.ts'
import type { Emit } from './query.ts'
import { listen } from './server.ts'

/** A place from which a store can be asked: the owner's own, or one at its socket. */
export type Seat = {
  /** Where the older database is that was rebuilt when this process opened it. */
  backup?: string | undefined
  call(method: string, parameters: Record<string, unknown>, emit: Emit): Promise<unknown>
  leave(): Promise<void>
}

// Longer than an owner needs to end its batch and fold a full write-ahead log into its file while it closes.
const PATIENCE_MILLISECONDS = 10_000
const FIRST_PAUSE_MILLISECONDS = 5
const LONGEST_PAUSE_MILLISECONDS = 200

/**
 * Finds the owner of a store, or becomes it: connect; if nobody listens, open the database; if somebody else has the
 * lock, they are about to listen or about to close, so connect again. Throws `locked` if that never ends, naming the
 * process, and whatever else opening throws.
 */
export async function takeSeat(paths: StorePaths): Promise<Seat> {
  const deadline = Date.now() + PATIENCE_MILLISECONDS
  let pause = FIRST_PAUSE_MILLISECONDS
  for (;;) {
    const client = await Client.connect(paths.socket)
    if (client !== undefined) {
      return {
        call: (method, parameters, emit) => client.call(method, parameters, emit),
        leave: () => client.close(),
      }
    }
    try {
      return await becomeOwner(paths)
    } catch (error) {
      if (!isTaken(error)) throw error
      if (Date.now() > deadline) throw locked(paths, error)
    }
    // A random part, so that those who wait do not try in step.
    await wait(pause * (0.5 + Math.random()))
    pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)
  }
}

async function becomeOwner(paths: StorePaths): Promise<Seat> {
  const owner = await Owner.open(paths)
  try {
    const listening = await listen(paths.socket, owner)
    const here = new AbortController()
    // Every question that is being answered listens, and there may be many at once.
    setMaxListeners(0, here.signal)
    return {
      backup: owner.backup,
      call: (method, parameters, emit) => owner.methods[method]!(parameters, emit, here.signal),
      leave: async () => {
        here.abort()
        await listening.close()
        await owner.close()
      },
    }
  } catch (error) {
    await owner.close()
    throw error
  }
}

/** By another process, or by another thread of this one: both end in asking them. */
function isTaken(error: unknown): boolean {
  return lockHolder(error) !== undefined || (error instanceof StoreError && error.code === 'open-twice')
}

function locked(paths: StorePaths, error: unknown): unknown {
  const holder = lockHolder(error)
  if (holder === undefined) return error
  const who = holder.pid === undefined ? 'another process' : `process ${holder.pid}`
  return new StoreError('locked', `${paths.database} is open in ${who}, which does not answer.`, {
    path: paths.database,
    remedy: `Close it there (a DuckDB shell?), then run the command again. Agents go on recording meanwhile.`,
    cause: error,
  })
}
