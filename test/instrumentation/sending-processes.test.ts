import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildEntry, temporaryDirectory } from './captures.ts'
import { LogServer } from './log-server.ts'

let built: { directory: string; entry: string }
let directory: string
let server: LogServer
const children: ChildProcess[] = []

beforeAll(async () => {
  built = await buildEntry({ send: 'instrumentation/sending/index.ts' })
})
afterAll(() => rmSync(built.directory, { recursive: true, force: true }))
beforeEach(async () => {
  directory = temporaryDirectory()
  server = await LogServer.start()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** An agent that captures into the directory and sends from it. */
function agent(source: string): ChildProcess {
  const file = join(directory, `${children.length}.mjs`)
  const imports = `
    import { start } from ${JSON.stringify(built.entry)}
    import { sendCaptures } from ${JSON.stringify(join(built.directory, 'send.mjs'))}
    const sending = sendCaptures({ url: ${JSON.stringify(server.url)}, content: 'full' })
  `
  writeFileSync(file, `${imports}${source}`)
  const env = { ...process.env, HANDSPAN_DIR: join(directory, 'captures') }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  children.push(child)
  return child
}

/** Every line that any agent has written, sorted. */
function written(): string[] {
  const spool = join(directory, 'captures', 'spool')
  return readdirSync(spool)
    .flatMap((name) => readFileSync(join(spool, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .sort()
}

const WRITE =
  'await start().run({}, (run) => { for (let n = 0; n < 3000; n++) run.message({ role: "user", content: "message " + n }) })\n'

test('a sender that is killed in the middle of a request goes on where it was, and nothing is lost', async () => {
  // With a local store nothing is removed, so that what was written can be counted afterwards.
  mkdirSync(join(directory, 'captures'))
  writeFileSync(join(directory, 'captures', 'handspan.duckdb'), '')
  for (const kill of [2, 3]) {
    const from = server.requests.length
    const asked = new Promise<void>((resolve) => {
      server.script = (_records, request) => {
        if (request < from + kill) return {}
        resolve()
        return { hang: true }
      }
    })
    const child = agent(`${WRITE}setInterval(() => {}, 1000)`)
    await asked
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  expect(server.lines.length).toBeLessThan(written().length)
  server.script = () => ({})
  const [code] = await once(agent('if (!(await sending.flush(30_000))) process.exit(3)'), 'close')
  expect(code).toBe(0)
  expect([...server.lines].sort()).toEqual(written())
})

test('sending keeps no process alive, whether the server answers or not', async () => {
  for (const hang of [false, true]) {
    server.script = () => ({ hang })
    const child = agent(WRITE)
    const [code, signal] = await once(child, 'close')
    expect({ code, signal }).toEqual({ code: 0, signal: null })
  }
})

test('flush and stop before the end: everything has arrived, and the program ends', async () => {
  const child = agent(`${WRITE}
    const all = await sending.flush(30_000)
    const { sent, pending } = sending.counters()
    await sending.stop()
    process.exitCode = all && sent === 3002 && pending >= 0 ? 0 : 3`)
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(server.lines).toHaveLength(3002)
})

test('nothing that is asked of it throws or ends the program', async () => {
  const child = agent(`
    const wrong = sendCaptures({ url: 'no address at all' })
    sendCaptures({ url: 'http://127.0.0.1:9', token: 'x\\ny', content: 'everything', directory: '/dev/null/none' })
    if (await wrong.flush()) process.exit(3)
    await wrong.stop()
    await sending.stop()
    await sending.stop()
    if (await sending.flush(10)) process.exit(4)
    ${WRITE}`)
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
})
