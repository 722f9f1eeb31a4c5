import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { buildEntry, ofKind, readCaptures, temporaryDirectory } from './captures.ts'

let built: { directory: string; entry: string }
let root: string
const children: ChildProcess[] = []

beforeAll(async () => {
  built = await buildEntry()
})
afterAll(() => fs.rmSync(built.directory, { recursive: true, force: true }))
beforeEach(() => {
  root = temporaryDirectory()
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  fs.rmSync(root, { recursive: true, force: true })
})

/** Runs a script against the built entry, as a program that has installed it would. */
function run(name: string, source: string, environment: Record<string, string> = {}): ChildProcess {
  const file = path.join(root, `${name}.mjs`)
  fs.writeFileSync(file, `import { start } from ${JSON.stringify(built.entry)}\n${source}`)
  const env = { ...process.env, HANDSPAN_DIR: path.join(root, 'captures'), ...environment }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

async function output(child: ChildProcess): Promise<string> {
  let text = ''
  child.stdout!.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return text.trim()
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const chunk of child.stdout!) return String(chunk).trim()
  throw new Error('the process said nothing')
}

/** The events of all processes in the order of time, as the store reads them. */
function captures(): RunEvent[] {
  return readCaptures(path.join(root, 'captures')).sort((a, b) => (a.at! < b.at! ? -1 : 1))
}

const RECEIVER = `
  import { createServer } from 'node:http'
  const handspan = start({ service: 'billing' })
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { items, record } = JSON.parse(body)
    const received = handspan.receive(request.headers, { by: 'billing', items, record, tools: ['send_invoice'] })
    received.accept()
    for (const operation of received.record.open_operations) {
      await received.settle(operation, async () => null, { by: 'closed' })
    }
    const invoice = received.run.tool(async ({ key }) => ({ sent: key }), { name: 'send_invoice', key: (args) => args.key })
    await invoice({ key: 'inv-1' })
    received.verdict('approve')
    response.end('ok')
    server.close()
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

const SENDER = `
  const handspan = start({ service: 'orders' })
  const late = async () => { throw new DOMException('late', 'TimeoutError') }
  await handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) => {
    const reserve = run.tool(late, { name: 'reserve_stock', agent: 'orders', key: (args) => args.key })
    await reserve({ sku: 'A-7', key: 'o7:2' }).catch(() => {})
    const items = [{ role: 'user', content: 'forty of A-7' }, { role: 'assistant', content: 'Reserving.' }]
    const handoff = run.handoff({ from: 'orders', to: 'billing', mode: 'transfer', items })
    await fetch('http://127.0.0.1:' + process.env.PORT, {
      method: 'POST',
      headers: handoff.carrier,
      body: JSON.stringify({ items: items.slice(0, 1), record: handoff.record }),
    })
    console.log(run.id)
  })
`

describe('two processes over HTTP', () => {
  test('both sides stand in one run, in the order of cause and effect, without any shutdown', async () => {
    const receiver = run('receiver', RECEIVER)
    const port = await firstLine(receiver)
    const gone = once(receiver, 'exit')
    const id = await output(run('sender', SENDER, { PORT: port }))
    await gone
    const events = captures()
    expect(events.map(({ run, kind, state }) => [run, state ?? kind])).toEqual(
      [
        'run.start',
        'sent',
        'unknown',
        'handoff.sent',
        'handoff.received',
        'handoff.accepted',
        'closed',
        'sent',
        'settled',
        'handoff.verdict',
        'run.end',
      ].map((what) => [id, what]),
    )
    expect(new Set(events.map(({ writer }) => writer)).size).toBe(2)
    const [sent, received] = [ofKind(events, 'handoff.sent')[0]!, ofKind(events, 'handoff.received')[0]!]
    expect(received).toMatchObject({
      handoff: sent.handoff,
      by: 'billing',
      record: sent.record,
      tools: ['send_invoice'],
    })
    expect(received.items).toEqual((sent.items_before as unknown[]).slice(0, 1))
    // The receiver settled the sender's operation, under its id and key.
    expect(events[6]).toMatchObject({ op: events[1]!.op, key: 'o7:2', agent: 'billing' })
  })
})

describe('a process that dies', () => {
  test('between dispatch and reply leaves the operation as sent on disk, and no torn line', async () => {
    const child = run(
      'killed',
      `
      const handspan = start()
      await handspan.run({}, async (run) => {
        const never = () => new Promise(() => { console.log('dispatched'); setInterval(() => {}, 1000) })
        await run.tool(never, { name: 'reserve_stock', key: 'o7:2' })({ count: 40 })
      })
    `,
    )
    expect(await firstLine(child)).toBe('dispatched')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(captures().at(-1)).toMatchObject({
      kind: 'operation',
      tool: 'reserve_stock',
      key: 'o7:2',
      state: 'sent',
      args: { count: 40 },
    })
  })

  test('at any moment leaves every event that it had reported, in whole lines', async () => {
    for (let round = 0; round < 5; round++) {
      const child = run(
        'hasty',
        `
        const run = start().startRun()
        for (let number = 0; ; number++) {
          run.event('step', { number, text: 'x'.repeat(500) })
          if (number % 100 === 0) process.stdout.write(number + '\\n')
        }
      `,
        { HANDSPAN_DIR: path.join(root, `captures-${round}`) },
      )
      let told = -1
      child.stdout!.on('data', (chunk) => {
        told = Number(String(chunk).trim().split('\n').at(-1))
        if (told >= 300 * (round + 1)) child.kill('SIGKILL')
      })
      await once(child, 'close')
      const steps = ofKind(readCaptures(path.join(root, `captures-${round}`)), 'step')
      expect(steps.length).toBeGreaterThan(told)
      expect(steps.map(({ number }) => number)).toEqual(steps.map((_step, index) => index))
    }
  })
})

describe('the process of the program', () => {
  test('ends by itself, whatever handspan still has open', async () => {
    const source = `
      const handspan = start()
      const run = handspan.startRun()
      run.tool(() => new Promise(() => {}), { timeout: 600000 })()
      run.handoff({ to: 'billing' })
      console.log('done')
    `
    expect(await output(run('open', source))).toBe('done')
    expect(captures().map(({ kind }) => kind)).toEqual(['run.start', 'operation', 'handoff.sent'])
  })

  test('with OTEL_SDK_DISABLED=true captures nothing, and everything works', async () => {
    const source = `
      const handspan = start()
      const answer = await handspan.run({ principal: 'user' }, async (run) => {
        run.operation({ tool: 'reserve', key: 'k' }).sent()
        const handoff = run.handoff({ to: 'billing' })
        const received = handspan.receive(handoff.carrier, { by: 'billing', record: handoff.record })
        return [await run.tool(async (n) => n + 1)(1), received.record.open_operations[0].key, Object.keys(handoff.carrier), handspan.counters().written]
      })
      console.log(JSON.stringify(answer))
    `
    expect(await output(run('disabled', source, { OTEL_SDK_DISABLED: 'true' }))).toBe('[2,"k",[],0]')
    expect(fs.existsSync(path.join(root, 'captures'))).toBe(false)
  })

  // Asked for a folder there and those above it at once, Node tries for ever.
  test.runIf(fs.existsSync('/proc/self'))('goes on where no directory can be made', async () => {
    const source = `
      const handspan = start()
      handspan.startRun().event('lost')
      console.log(JSON.stringify(handspan.counters()))
    `
    const child = run('nowhere', source, { HANDSPAN_DIR: '/proc/handspan/captures' })
    expect(JSON.parse(await output(child))).toMatchObject({ written: 0, dropped: 2 })
  })

  test('and each of its worker threads write segments of their own', async () => {
    const source = `
      import { Worker, isMainThread } from 'node:worker_threads'
      import { fileURLToPath } from 'node:url'
      const run = start().startRun({ id: 'shared' })
      for (let number = 0; number < 200; number++) run.event('step', { number })
      if (isMainThread) for (let thread = 0; thread < 3; thread++) new Worker(fileURLToPath(import.meta.url))
    `
    await output(run('threads', source))
    const steps = ofKind(captures(), 'step')
    expect(steps).toHaveLength(800)
    expect(fs.readdirSync(path.join(root, 'captures/spool'))).toHaveLength(4)
    expect(new Set(steps.map(({ writer }) => writer)).size).toBe(4)
  })

  test('loads nothing but Node itself and two small packages', () => {
    const source = fs.readFileSync(built.entry, 'utf8')
    const imported = [...source.matchAll(/(?:from|import)\s*\(?["']([^"']+)["']/g)].map(([, name]) => name!)
    expect(['canonicalize', 'ulid']).toEqual(
      expect.arrayContaining(imported.filter((name) => !isBuiltin(name))),
    )
    expect(imported).toContain('ulid')
  })
})
