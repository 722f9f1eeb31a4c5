import { DuckDBInstance } from '@duckdb/node-api'
import { openStore } from '../../store/index.ts'

// What the tests run in processes and threads of their own. Says one line of JSON for each thing done.
const [act, directory, ...rest] = process.argv.slice(2) as [string, string, ...string[]]
const say = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`)

if (act === 'ingest') {
  for (;;) {
    const store = await openStore(directory, { create: true })
    say(await store.ingest())
    await store.close()
    if (rest[0] === 'once') break
  }
} else if (act === 'import') {
  const store = await openStore(directory, { create: true })
  try {
    say(await store.importPaths(rest))
  } catch (error) {
    const { code, message, path, remedy } = error as {
      code?: string
      message: string
      path?: string
      remedy?: string
    }
    say({ code, message, path, remedy })
  }
  await store.close().catch(() => {})
} else if (act === 'contend') {
  // Asks again and again, whoever answers: the process that owns the database at that moment.
  const store = await openStore(directory, { create: true })
  for (;;) {
    const { owner, events } = await store.info()
    say({ pid: process.pid, owner, events })
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
} else if (act === 'hold') {
  // A foreign program, such as a DuckDB shell, that has the file open.
  const instance = await DuckDBInstance.create(`${directory}/handspan.duckdb`).catch((error) => {
    say({ refused: (error as Error).message })
    process.exit()
  })
  await (await instance.connect()).run('CREATE TABLE IF NOT EXISTS theirs (a INTEGER)')
  say({ pid: process.pid })
  setInterval(() => instance, 1000)
}
