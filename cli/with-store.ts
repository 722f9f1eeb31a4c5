import { bytes, grouped, plural } from '../model/counts.ts'
import { type OnProgress, openStore, type Store, StoreError } from '../store/index.ts'
import { findCaptures, makeCaptures } from './captures.ts'
import { loadConfig } from './config/load.ts'
import { note } from './output.ts'
import { pasted } from './render/pasted.ts'

/** `create` makes a directory that is missing; without it that is an error. `rebuilds`: what is derived is made anew. */
type Options = { create?: boolean; rebuilds?: boolean }

/**
 * Opens the store of a directory under the configuration found from the working directory upwards, reads what is new in
 * the spool, acts, and closes it.
 */
export async function withStore<T>(
  directory: string,
  act: (store: Store, onProgress: OnProgress) => Promise<T>,
  options: Options = {},
): Promise<T> {
  const onProgress = progressLine()
  const store = await openReadyStore(directory, options, onProgress)
  try {
    return await act(store, onProgress)
  } finally {
    await giveUp(store)
  }
}

/**
 * Closes a store. A disk that is too full to fold its write-ahead log in makes no answer wrong and loses nothing: that is said,
 * and left to the next command.
 */
export async function giveUp(store: Store): Promise<void> {
  try {
    await store.close()
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'disk-full') throw error
    note(
      `${error.message} What is new stays in ${store.paths.database}.wal: nothing is lost, and a later command folds it in once there is room.`,
    )
  }
}

/** Opens the store of a directory and reads what is new in the spool. Whoever asks for it closes it. */
export async function openReadyStore(
  directory: string,
  { create = false, rebuilds = false }: Options = {},
  onProgress: OnProgress = progressLine(),
): Promise<Store> {
  if (create) makeCaptures(directory)
  else findCaptures(directory)
  const { settings } = await loadConfig()
  const store = await openStore(directory, { create, settings })
  if (store.rebuiltFrom !== undefined) {
    note(
      `The database had an older schema: it is made anew from its events. The older one is ${store.rebuiltFrom}.`,
    )
  }
  try {
    await store.ingest(onProgress)
    if (!rebuilds) await noteOtherSettings(store, directory)
    return store
  } catch (error) {
    await giveUp(store)
    throw error
  }
}

/** What is stored was judged when it came in; a configuration that has changed since says nothing of it. */
async function noteOtherSettings(store: Store, directory: string): Promise<void> {
  const runs = await store.judgedOtherwise()
  if (runs === 0) return
  const rebuild = pasted(['rebuild'], directory)
  note(
    `${plural(runs, 'stored run was', 'stored runs were')} judged under another configuration than the one here: ${rebuild} judges all of them anew.`,
  )
}

// Quick work says nothing; longer work says where it is, this often.
const EVERY_MILLISECONDS = 1000

function progressLine(): OnProgress {
  let last = Date.now()
  return ({ phase, done, total }) => {
    if (Date.now() - last < EVERY_MILLISECONDS) return
    last = Date.now()
    const share = total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`
    note(
      phase === 'read'
        ? `reading: ${grouped(done)} of ${bytes(total)}${share}`
        : `judging: ${grouped(done)} of ${plural(total, 'run')}${share}`,
    )
  }
}
