import { appendFileSync, mkdirSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { openStore, type Store } from '../../store/index.ts'

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
  let store: Store | undefined
  try {
    store = await openStore(directory, { create: true })
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
  await store?.close().catch(() => {})
} else if (act === 'append') {
  // An agent: a line now and then into a segment of its own.
  mkdirSync(`${directory}/spool`, { recursive: true })
  for (let seq = 1; seq <= Number(rest[0]); seq++) {
    const event = {
      run: 'appended',
      seq,
      at: '2031-05-06T07:08:09Z',
      kind: 'message',
      content: `line ${seq}`,
    }
    appendFileSync(`${directory}/spool/agent-${process.pid}-x-1.jsonl`, `${JSON.stringify(event)}\n`)
    await new Promise((next) => setTimeout(next, 10))
  }
} else if (act === 'do') {
  // One method of a store, its arguments as JSON.
  const store = (await openStore(directory)) as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >
  const [method, ...args] = rest as [string, ...string[]]
  say({ begun: process.pid })
  try {
    say({ done: await store[method]!(...args.map((text) => JSON.parse(text))) })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    say({ code, message })
  }
  await store.close!().catch(() => {})
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
