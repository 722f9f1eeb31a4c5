import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { eventId } from '../../model/event-log-record.ts'
import { openStore } from '../../store/index.ts'
import { BINARY, handspan } from '../cli/command.ts'
import { newFolder, spooled, startServer } from '../collector/serving.ts'
import { LogServer } from '../instrumentation/log-server.ts'

const CASES = join(import.meta.dirname, '../cases')

/** A spool that agents of other hosts have written, and the lines in it. */
function spool(): { directory: string; lines: string[] } {
  const directory = newFolder()
  mkdirSync(join(directory, 'spool'))
  const cases = readdirSync(CASES)
    .filter((name) => name.endsWith('.jsonl'))
    .slice(0, 12)
  for (const [index, name] of cases.entries()) {
    copyFileSync(join(CASES, name), join(directory, 'spool', `elsewhere-${index}-start-1.jsonl`))
  }
  const lines = cases.flatMap((name) => readFileSync(join(CASES, name), 'utf8').split('\n').filter(Boolean))
  return { directory, lines }
}

const idOf = (line: string) => eventId(line, JSON.parse(line), '')

/** What a store of its own makes of a directory: the ids of its events, and its findings. */
async function storeOf(directory: string): Promise<{ ids: string[]; findings: unknown[] }> {
  const store = await openStore(directory)
  await store.ingest()
  const events = await store.query('SELECT body::VARCHAR AS line FROM events')
  const findings = await store.query(
    'SELECT run, handoff, check_id, severity, subject, message, remedy FROM findings ORDER BY ALL',
  )
  await store.close()
  return { ids: events.map(({ line }) => idOf(String(line))).sort(), findings }
}

test('what is sent in full is stored under the same ids, and judged as at the sender', async () => {
  const { directory, lines } = spool()
  const server = await startServer()
  const args = ['send', '--once', '--json', '--dir', directory, '--to', server.url]
  const { code, stdout } = await handspan([...args, '--content', 'full'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).counters).toMatchObject({ sent: lines.length, dead: 0, pending: 0 })
  // Once more from the beginning: nothing is stored twice.
  writeFileSync(join(directory, 'sent', readdirSync(join(directory, 'sent'))[0]!), '{}')
  expect((await handspan([...args, '--content', 'full'])).code).toBe(0)
  await server.stop()
  const there = await storeOf(server.directory)
  const here = await storeOf(directory)
  expect(there.ids).toEqual(lines.map(idOf).sort())
  expect(there.ids).toEqual(here.ids)
  expect(here.findings.length).toBeGreaterThan(12)
  expect(there.findings).toEqual(here.findings)
})

test('metadata alone leaves no word of the conversation at the server', async () => {
  const { directory, lines } = spool()
  const server = await startServer({ token: 'a token of sixteen or more'.replaceAll(' ', '-') })
  const tokenFile = join(directory, 'token')
  writeFileSync(tokenFile, 'a-token-of-sixteen-or-more\n')
  const args = ['send', '--once', '--dir', directory, '--to', server.url]
  const refused = await handspan(args)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/401.*Nothing is lost.*token is right/)
  expect((await handspan([...args, '--token-file', tokenFile])).code).toBe(0)
  await server.stop()
  const stored = spooled(server.directory, 'events')
  expect(stored).toHaveLength(lines.length)
  const said = lines.flatMap((line) => textsIn(JSON.parse(line))).filter((text) => text.includes(' '))
  expect(said.length).toBeGreaterThan(40)
  const there = JSON.stringify(stored)
  expect(said.filter((text) => there.includes(JSON.stringify(text).slice(1, -1)))).toEqual([])
})

/** Every text in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

test('--once says what could not be sent and exits with 2', async () => {
  const { directory, lines } = spool()
  const server = await LogServer.start()
  onTestFinished(() => server.stop())
  server.script = (records) => (records.some(({ line }) => line === lines[3]) ? { status: 400 } : {})
  const { code, stderr } = await handspan([
    ...['send', '--once', '--dir', directory, '--to', server.url],
    ...['--content', 'full'],
  ])
  expect(code).toBe(2)
  expect(stderr).toMatch(/1 in dead-letters/)
  expect(server.lines).toHaveLength(lines.length - 1)
  const [letter] = readdirSync(join(directory, 'dead-letters')).filter((name) => name.endsWith('.jsonl'))
  expect(readFileSync(join(directory, 'dead-letters', letter!), 'utf8')).toBe(`${lines[3]}\n`)
})

test('the sidecar sends what is written while it runs, and ends when it is told to', async () => {
  const directory = newFolder()
  const server = await startServer()
  const child = spawn(process.execPath, [BINARY, 'send', '--dir', directory, '--to', server.url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = createInterface({ input: child.stderr })
  await once(said, 'line')
  mkdirSync(join(directory, 'spool'), { recursive: true })
  const lines = [1, 2, 3].map((seq) => JSON.stringify({ run: 'r', seq, writer: 'w', kind: 'note' }))
  writeFileSync(join(directory, 'spool', 'elsewhere-1-start-1.jsonl'), `${lines.join('\n')}\n`)
  while (!existsSync(join(directory, 'sent'))) await new Promise((resolve) => setTimeout(resolve, 20))
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(spooled(server.directory, 'events')).toHaveLength(3)
})

test.each([
  [['--to', 'billing'], /billing is no http or https address/],
  [['--content', 'everything'], /neither full nor shape/],
  [['--token-file', '/nowhere'], /^handspan: \/nowhere does not exist\.\nCheck the path\.\n$/],
])('%j is refused with exit code 2', async (args, complaint) => {
  const { code, stderr } = await handspan(['send', '--once', ...args], { cwd: newFolder() })
  expect(code).toBe(2)
  expect(stderr).toMatch(complaint)
})
