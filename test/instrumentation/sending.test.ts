import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { isTracingSuppressed } from '@opentelemetry/core'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SpoolSender, type SpoolSenderOptions } from '../../instrumentation/sending/spool-sender.ts'
import { readTarget } from '../../instrumentation/sending/target.ts'
import { temporaryDirectory } from './captures.ts'
import { LogServer, type Reply } from './log-server.ts'

let directory: string
let server: LogServer
let complaints: string[]
const senders: SpoolSender[] = []

beforeEach(async () => {
  directory = temporaryDirectory()
  mkdirSync(join(directory, 'spool'))
  server = await LogServer.start()
  complaints = []
})
afterEach(async () => {
  for (const sender of senders.splice(0)) sender.stop(0)
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

function open(options: Partial<SpoolSenderOptions> = {}): SpoolSender {
  const sender = new SpoolSender({
    directory,
    target: readTarget({ url: server.url }, {}),
    content: 'full',
    batchBytes: 64 * 1024,
    resource: { 'service.name': 'test' },
    background: true,
    report: (_level, message) => complaints.push(message),
    backoff: { first: 5, most: 20 },
    ...options,
  })
  senders.push(sender)
  return sender
}

/** Runs a sender until there is nothing left to do, or it has been told `tries` times to come back later. */
async function drain(options: Partial<SpoolSenderOptions> = {}, tries = Number.POSITIVE_INFINITY) {
  const sender = open(options)
  let later = 0
  await sender.run((round) => round === 'idle' || (round !== 'moved' && ++later >= tries))
  return sender
}

const HOST = hostname()
  .replace(/[^A-Za-z0-9.]+/g, '_')
  .slice(0, 40)
/** No process has it: it is above what Linux and macOS give out. */
const DEAD = 99_999_999

function segmentName(pid: number | string = process.pid, number = 1, start = 'abc'): string {
  return `${HOST}-${pid}-${start}-${number}.jsonl`
}

function write(name: string, text: string, ageSeconds = 60): void {
  const file = join(directory, 'spool', name)
  writeFileSync(file, text)
  const then = Date.now() / 1000 - ageSeconds
  utimesSync(file, then, then)
}

function event(seq: number, fields: object = {}): string {
  return JSON.stringify({
    v: 1,
    run: 'r-1',
    seq,
    at: '2031-03-04T09:00:00Z',
    writer: 'w',
    kind: 'note',
    ...fields,
  })
}

const events = (count: number) => Array.from({ length: count }, (_, index) => event(index + 1))
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

/** The dead letters: why, and the bytes. */
function letters(): { reason: string; status?: number; segment: string; offset: number; text: string }[] {
  const folder = join(directory, 'dead-letters')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const why = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      return { ...why, text: readFileSync(join(folder, why.lines), 'utf8') }
    })
}

describe('a spool and a server that takes everything', () => {
  test('every line arrives once, with name, token and resource, and is not sent again', async () => {
    write(segmentName(), text(events(3)))
    const sender = await drain({ target: readTarget({ url: server.url, token: 'secret' }, {}) })
    expect(server.lines).toEqual(events(3))
    expect(sender.counters).toMatchObject({ sent: 3, dead: 0, retries: 0, pending: 0 })
    const [request, ...more] = server.requests
    expect(more).toEqual([])
    expect(request!.path).toBe('/v1/logs')
    expect(request!.headers).toMatchObject({
      authorization: 'Bearer secret',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(request!.body.resourceLogs).toMatchObject([
      { resource: { attributes: [{ key: 'service.name', value: { stringValue: 'test' } }] } },
    ])
    await drain()
    expect(server.requests).toHaveLength(1)
  })

  test('batches are bounded, and a line longer than a batch is sent all the same', async () => {
    const long = event(2, { content: 'x'.repeat(200_000) })
    write(segmentName(), text([event(1), long, event(3)]))
    await drain({ batchBytes: 16 * 1024 })
    expect(server.requests.map(({ records }) => records.length)).toEqual([1, 2])
    expect(server.lines).toEqual([event(1), long, event(3)])
  })

  test('what other tools write into the spool is left alone', async () => {
    write('host-1-x-1.spans.jsonl', text(events(1)))
    write('notes.txt', 'nothing for a server')
    await drain()
    expect(server.requests).toEqual([])
  })

  test('lines without seq keep one id however often they are sent, and equal ones are two', async () => {
    const line = JSON.stringify({ run: 'r', kind: 'note' })
    write(segmentName(), text([line, line]))
    await drain()
    rmSync(join(directory, 'sent'), { recursive: true })
    await drain()
    const ids = server.stored.map(({ id }) => id)
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(2)
    expect(ids.slice(0, 2)).toEqual(ids.slice(2))
  })
})

describe('what leaves the machine', () => {
  const full = event(1, {
    kind: 'handoff.sent',
    handoff: 'h-1',
    to: 'billing',
    reason: 'Ada wants forty',
    items_before: [{ id: 'u1', role: 'user', content: 'Ada wants forty' }],
    record: { open_operations: [{ op: 'op-1', tool: 'reserve', key: 'k:1' }] },
    trace: { id: 'a'.repeat(32), span: 'b'.repeat(16) },
  })

  test('metadata only, unless the captures are asked for in full', async () => {
    write(segmentName(), text([full]))
    await drain({ content: 'shape' })
    expect(JSON.stringify(server.requests[0]!.body)).not.toMatch(/Ada|forty/)
    expect(JSON.parse(server.lines[0]!)).toMatchObject({
      v: 1,
      run: 'r-1',
      seq: 1,
      at: '2031-03-04T09:00:00Z',
      writer: 'w',
      kind: 'handoff.sent',
      handoff: 'h-1',
      to: 'billing',
      record: { open_operations: [{ op: 'op-1', tool: 'reserve', key: 'k:1' }] },
      trace: { id: 'a'.repeat(32), span: 'b'.repeat(16) },
    })
  })

  test('the shape of a line is the same whenever it is sent; a shape is not made a shape again', async () => {
    write(segmentName(), text([full]))
    await drain({ content: 'shape' })
    const shaped = server.lines[0]!
    write(segmentName(process.pid, 2), text([full, shaped]))
    await drain({ content: 'shape' })
    expect(new Set(server.stored.map(({ id }) => id)).size).toBe(1)
    expect(new Set(server.stored.map(({ line }) => line))).toEqual(new Set([shaped]))
  })

  test('a field that merely is called shape opens no way around it', async () => {
    write(segmentName(), text([event(1, { shape: { form: 'round' }, content: 'Ada wants forty' })]))
    await drain({ content: 'shape' })
    expect(server.lines[0]).not.toMatch(/Ada|round/)
  })
})

describe('answers that decide nothing', () => {
  const later: [name: string, reply: Reply, complaint: RegExp][] = [
    ...[401, 403, 404, 405, 415].map(
      (status) =>
        [`${status}`, { status }, new RegExp(`${status} .*put right|token`)] as [string, Reply, RegExp],
    ),
    ...[408, 429, 500, 502, 503, 504].map(
      (status) =>
        [`${status}`, { status, body: { message: 'busy' } }, /: busy\. Nothing is lost/] as [
          string,
          Reply,
          RegExp,
        ],
    ),
    ['302', { status: 302, headers: { location: '/login' } }, /302 Found/],
    ['200 of something else', { body: '<html>welcome</html>' }, /none of OTLP/],
  ]
  test.each(later)(
    '%s: nothing is lost, one complaint, and it arrives in the end',
    async (_name, reply, complaint) => {
      write(segmentName(), text(events(2)))
      server.script = (_records, request) => (request < 3 ? reply : {})
      const sender = await drain()
      expect(server.requests).toHaveLength(4)
      expect(server.lines).toEqual(events(2))
      expect(sender.counters).toMatchObject({ sent: 2, dead: 0, retries: 3 })
      expect(complaints[0]).toMatch(complaint)
      expect(complaints).toHaveLength(2)
      expect(complaints[1]).toMatch(/again/)
      expect(letters()).toEqual([])
    },
  )

  test('a server that is down, and comes back', async () => {
    const { port } = server
    write(segmentName(), text(events(5)))
    const sender = open()
    await server.stop()
    const running = sender.run((round) => round === 'idle')
    while (sender.counters.retries < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    server = await LogServer.start(port)
    await running
    expect(server.lines).toEqual(events(5))
    expect(complaints[0]).toMatch(/ECONNREFUSED/)
  })

  test('an answer that breaks off', async () => {
    write(segmentName(), text(events(2)))
    server.script = (_records, request) =>
      request === 0 ? { headers: { 'content-length': '1000' }, body: '{' } : {}
    const running = drain()
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const { port } = server
    const before = server
    await server.stop()
    server = await LogServer.start(port)
    await running
    expect(new Set([...before.lines, ...server.lines])).toEqual(new Set(events(2)))
    expect(server.lines).toEqual(events(2))
  })

  test('Retry-After is the least that is waited', async () => {
    write(segmentName(), text(events(1)))
    const times: number[] = []
    server.script = (_records, request) => {
      times.push(performance.now())
      return request === 0 ? { status: 503, headers: { 'retry-after': '1' } } : {}
    }
    await drain()
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990)
  })

  test('a server that refuses even an empty request refuses not the content', async () => {
    write(segmentName(), text(events(4)))
    server.script = () => ({ status: 400, body: 'The plain HTTP request was sent to HTTPS port' })
    await drain({}, 2)
    expect(letters()).toEqual([])
    expect(complaints.join()).toMatch(/also for an empty request/)
    server.script = () => ({})
    await drain()
    expect(server.lines).toEqual(events(4))
  })
})

describe('what the server will never have', () => {
  test.each([400, 413, 422])(
    '%i: the poison is found in the middle of a batch, the others arrive',
    async (status) => {
      write(segmentName(), text(events(9)))
      server.script = (records) =>
        records.some(({ line }) => line === event(5)) ? { status, body: { message: 'no fives' } } : {}
      const sender = await drain()
      expect(server.lines).toEqual(events(9).filter((line) => line !== event(5)))
      expect(letters()).toMatchObject([{ status, text: `${event(5)}\n` }])
      expect(letters()[0]!.reason).toMatch(/no fives/)
      expect(sender.counters).toMatchObject({ sent: 8, dead: 1, pending: 0 })
      const before = server.requests.length
      await drain()
      expect(server.requests).toHaveLength(before)
    },
  )

  test('after 413 batches are smaller', async () => {
    const lines = Array.from({ length: 256 }, (_, index) => event(index, { content: 'x'.repeat(1000) }))
    write(segmentName(), text(lines))
    const limit = 24
    // About sixty of them fit into the first batch, and half of them are too many still.
    server.script = (records) => (records.length > limit ? { status: 413 } : {})
    await drain()
    expect(server.lines).toEqual(lines)
    expect(server.requests.filter(({ records }) => records.length > limit)).toHaveLength(2)
  })

  test('a partial success is not sent again, and its batch is kept', async () => {
    write(segmentName(), text(events(3)))
    server.script = () => ({
      body: { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'bad time' } },
    })
    const sender = await drain()
    expect(server.requests).toHaveLength(1)
    expect(sender.counters).toMatchObject({ sent: 2, dead: 1, pending: 0 })
    expect(letters()).toMatchObject([{ status: 200, text: text(events(3)) }])
    expect(letters()[0]!.reason).toMatch(/rejected 1 of its 3 events: bad time/)
  })

  test('lines that are no events are never sent', async () => {
    const bad = ['not json', '[1]', '{"kind":"note"}', '{"run":"r"}']
    write(segmentName(), text([event(1), ...bad, event(2)]))
    const sender = await drain()
    expect(server.lines).toEqual(events(2))
    expect(
      letters()
        .map((letter) => letter.text)
        .sort(),
    ).toEqual(bad.map((line) => `${line}\n`).sort())
    expect(sender.counters.dead).toBe(4)
  })

  test('a line that no request can hold goes whole into a dead letter', async () => {
    const long = event(1, { content: 'x'.repeat(17 * 1024 * 1024) })
    write(segmentName(), text([long, event(2)]))
    await drain()
    expect(server.lines).toEqual([event(2)])
    expect(letters()[0]!.text === `${long}\n`).toBe(true)
  })
})

describe('unfinished lines', () => {
  test('of a writer that lives wait for their rest', async () => {
    write(segmentName(), `${event(1)}\n${event(2).slice(0, 20)}`)
    await drain()
    expect(server.lines).toEqual([event(1)])
    write(segmentName(), text(events(2)))
    await drain()
    expect(server.lines).toEqual(events(2))
    expect(letters()).toEqual([])
  })

  test.each([
    ['that is dead', () => write(segmentName(DEAD), `${event(1)}\n{"run":`)],
    [
      'that has gone on to another segment',
      () => {
        write(segmentName(process.pid, 1), `${event(1)}\n{"run":`)
        write(segmentName(process.pid, 2), '')
      },
    ],
    [
      'of another host, untouched for a day',
      () => write('elsewhere-1-x-1.jsonl', `${event(1)}\n{"run":`, 25 * 3600),
    ],
  ])('of a writer %s go to the dead letters', async (_name, prepare) => {
    prepare()
    const sender = await drain()
    expect(server.lines).toEqual([event(1)])
    expect(letters()).toMatchObject([{ text: '{"run":', offset: event(1).length + 1 }])
    expect(sender.counters).toMatchObject({ sent: 1, dead: 1 })
  })
})

describe('segments', () => {
  const there = () => readdirSync(join(directory, 'spool')).sort()

  test('go when they are acknowledged and their writer is dead or has gone on; never under a writer', async () => {
    write(segmentName(DEAD), text(events(1)))
    write(segmentName(process.pid, 1), text(events(1)))
    write(segmentName(process.pid, 2), text(events(1)))
    write('elsewhere-1-x-1.jsonl', text(events(1)))
    await drain()
    expect(there()).toEqual(['elsewhere-1-x-1.jsonl', segmentName(process.pid, 2)].sort())
  })

  test('stay where a local store reads them', async () => {
    writeFileSync(join(directory, 'handspan.duckdb'), '')
    write(segmentName(DEAD), text(events(1)))
    await drain()
    expect(server.lines).toEqual(events(1))
    expect(there()).toEqual([segmentName(DEAD)])
  })

  test('stay until every server that was ever sent to has them', async () => {
    const other = await LogServer.start()
    const target = readTarget({ url: other.url }, {})
    write(segmentName(process.pid, 9), text([event(1)]))
    await drain({ target })
    write(segmentName(DEAD), text([event(2)]))
    await drain()
    expect(there()).toContain(segmentName(DEAD))
    await drain({ target })
    expect(there()).not.toContain(segmentName(DEAD))
    expect([other.lines, server.lines].map((lines) => lines.sort())).toEqual([events(2), events(2)])
    await other.stop()
  })
})

test('two senders on one spool: everything arrives, nothing is lost to the other', async () => {
  const lines = events(400)
  for (const part of [0, 1, 2, 3])
    write(segmentName(process.pid, part + 1), text(lines.slice(part * 100, part * 100 + 100)))
  server.script = (_records, request) => (request % 3 === 0 ? { status: 503 } : {})
  await Promise.all([drain({ batchBytes: 2048 }), drain({ batchBytes: 3000 })])
  expect([...server.lines].sort()).toEqual([...lines].sort())
})

test('no instrumentation of the program makes spans of it', async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const suppressed: boolean[] = []
  const onRequest = () => suppressed.push(isTracingSuppressed(context.active()))
  subscribe('http.client.request.start', onRequest)
  try {
    write(segmentName(), text(events(1)))
    await drain()
  } finally {
    unsubscribe('http.client.request.start', onRequest)
    context.disable()
  }
  expect(suppressed).toEqual([true])
})

test('flush resolves when all is acknowledged, and gives up when it is not in time', async () => {
  const sender = open()
  const running = sender.run()
  write(segmentName(), text(events(3)))
  expect(await sender.flush(5_000)).toBe(true)
  expect(server.lines).toEqual(events(3))
  server.script = () => ({ status: 503 })
  write(segmentName(process.pid, 2), text([event(4)]))
  expect(await sender.flush(50)).toBe(false)
  server.script = () => ({})
  expect(await sender.flush(5_000)).toBe(true)
  expect(server.lines).toEqual(events(4))
  sender.stop(0)
  await running
})

// What a server does with one record, drawn anew for every test: most it takes, some it refuses for ever.
type Fate = 'taken' | 'poison' | 'broken'
type Lines = { fate: Fate; size: number }[]

test('whatever the segments and the answers: every line is acknowledged or a dead letter, exactly', async () => {
  const lineArbitrary = fc.record({
    fate: fc.oneof(
      { weight: 8, arbitrary: fc.constant<Fate>('taken') },
      { weight: 1, arbitrary: fc.constantFrom<Fate>('poison', 'broken') },
    ),
    size: fc.nat(300),
  })
  const replies = fc.constantFrom<Reply>(
    {},
    {},
    { status: 503 },
    { status: 401 },
    { status: 429 },
    { body: 'hello' },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(lineArbitrary, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.array(replies, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 64, max: 2048 }),
      fc.boolean(),
      async (segments: Lines[], answers, batchBytes, restart) => {
        rmSync(directory, { recursive: true, force: true })
        mkdirSync(join(directory, 'spool'), { recursive: true })
        server.stored.length = 0
        const expected: Record<Fate, string[]> = { taken: [], poison: [], broken: [] }
        let seq = 0
        for (const [index, lines] of segments.entries()) {
          const written = lines.map(({ fate, size }) => {
            seq++
            const line = fate === 'broken' ? `{"seq":${seq}` : event(seq, { fate, content: 'é'.repeat(size) })
            expected[fate].push(line)
            return line
          })
          write(segmentName(process.pid, 1, `s${index}`), text(written))
        }
        let asked = 0
        server.script = (records) => {
          const answer = answers[asked++ % (answers.length + 1)] ?? {}
          if (answer.status !== undefined || answer.body !== undefined) return answer
          return records.some(({ line }) => line.includes('"poison"')) ? { status: 400 } : {}
        }
        const limits = { batchBytes, backoff: { first: 0, most: 1 } }
        // Ended in the middle and begun again, with what is on disk.
        if (restart) await drain(limits, 1)
        await drain(limits)
        const okay = server.lines.filter((line) => !line.includes('"poison"'))
        expect(okay.sort()).toEqual(expected.taken.sort())
        const dead = letters().flatMap((letter) => letter.text.split('\n').filter((line) => line !== ''))
        expect(dead.sort()).toEqual([...expected.poison, ...expected.broken].sort())
      },
    ),
    { numRuns: 25 },
  )
})
