import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../store/database.ts'
import { openStore } from '../../store/index.ts'
import { storePaths } from '../../store/paths.ts'

// A worker thread that opens a store and imports into it, then says who owned the database; or tries to open the file itself.
const { directory, file, direct } = workerData as { directory: string; file: string; direct: boolean }
if (direct) {
  const answer = await openDatabase(storePaths(directory)).then(
    async (database) => {
      await database.close()
      return 'opened'
    },
    (error) => error.code as string,
  )
  parentPort!.postMessage(answer)
} else {
  const store = await openStore(directory, { create: true })
  const counts = await store.importPaths([file])
  parentPort!.postMessage(counts)
  await store.close()
}
