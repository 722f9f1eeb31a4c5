import { type OnProgress, openStore, type Store } from '../store/index.ts'
import { note } from './output.ts'

/**
 * Opens the store of a directory, reads what is new in the spool, acts, and closes it. `create` makes a directory that
 * is missing; without it that is an error.
 */
export async function withStore<T>(
  directory: string,
  act: (store: Store, onProgress: OnProgress) => Promise<T>,
  options: { create?: boolean } = {},
): Promise<T> {
  const onProgress = progressLine()
  const store = await openReadyStore(directory, options, onProgress)
  try {
    return await act(store, onProgress)
  } finally {
    await store.close()
  }
}

/** Opens the store of a directory and reads what is new in the spool. Whoever asks for it closes it. */
export async function openReadyStore(
  directory: string,
  options: { create?: boolean } = {},
  onProgress: OnProgress = progressLine(),
): Promise<Store> {
  const store = await openStore(directory, options)
  if (store.rebuiltFrom !== undefined) {
    note(`The database had an older schema: it is made anew from its events. The older one is ${store.rebuiltFrom}.`)
  }
  try {
    await store.ingest(onProgress)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
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
        ? `reading: ${done} of ${total} bytes${share}`
        : `judging: ${done} of ${total} runs${share}`,
    )
  }
}
