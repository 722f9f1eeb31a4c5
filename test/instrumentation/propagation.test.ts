import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { readCarrier } from '../../instrumentation/carrier.ts'
import type { HandoffOptions } from '../../instrumentation/index.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { analyseTogether } from '../../replay/analyse.ts'
import { buildEntry, capture, ofKind, readCaptures, temporaryDirectory } from './captures.ts'

const TRACE = 'a'.repeat(32)
const SPAN = 'b'.repeat(16)
const FIELDS = {
  traceparent: `00-${TRACE}-${SPAN}-00`,
  tracestate: 'vendor=1',
  'handspan-handoff': '1;r=run-1;h=h-1;a=2;c=5.6',
}
const READ = {
  envelope: { run: 'run-1', handoff: 'h-1', attempt: 2, clock: { ms: 5, count: 6 } },
  span: { traceId: TRACE, spanId: SPAN, traceFlags: 0, traceState: 'vendor=1' },
}

const each = <T>(make: (name: string, value: string) => T): T[] =>
  Object.entries(FIELDS).map(([name, value]) => make(name, value))
const bytes = (text: string) => Buffer.from(text)
const title = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase())
const object = (make: (name: string, value: string) => [string, unknown]) => Object.fromEntries(each(make))

describe('what a receiver has', () => {
  test.each<[string, unknown]>([
    ['an object', FIELDS],
    ['headers in another case', object((name, value) => [title(name), value])],
    ['fetch Headers', new Headers(FIELDS)],
    ['a Map', new Map(Object.entries(FIELDS))],
    ['a Map in another case', new Map(each((name, value) => [title(name), value]))],
    ['a Map of bytes', new Map(each((name, value) => [name, bytes(value)]))],
    ['headers with several values', object((name, value) => [name, [value, 'other']])],
    ['Kafka headers', object((name, value) => [name, bytes(value)])],
    ['Kafka headers with several values', object((name, value) => [name, [bytes(value)]])],
    ['a list of single headers', each((name, value) => ({ [name]: bytes(value) }))],
    ['a list of keys and values', each((key, value) => ({ key, value: bytes(value) }))],
    ['a list of names and values', each((name, value) => ({ name, value }))],
    ['a list of pairs', each((name, value) => [name, value])],
    ['raw headers', each((name, value) => [title(name), value]).flat()],
    ['attributes of SQS', object((name, StringValue) => [name, { DataType: 'String', StringValue }])],
    ['attributes of SNS', object((name, Value) => [name, { Type: 'String', Value }])],
    ['gRPC metadata', { get: (name: string) => [FIELDS[name as keyof typeof FIELDS]] }],
    ['an environment', object((name, value) => [name.toUpperCase().replaceAll('-', '_'), value])],
  ])('%s', (_name, carrier) => {
    expect(readCarrier(carrier)).toEqual(READ)
  })

  test('nothing in it is ever thrown back', () => {
    fc.assert(
      fc.property(
        fc.anything({ withMap: true, withTypedArray: true, withNullPrototype: true }),
        (carrier) => {
          expect(readCarrier(carrier)).toEqual({})
        },
      ),
    )
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    expect(readCarrier(hostile)).toEqual({})
    expect(readCarrier([hostile, [hostile, hostile]])).toEqual({})
  })
})

test('a child process receives from its environment', async () => {
  const built = await buildEntry()
  const directory = temporaryDirectory()
  try {
    const file = join(directory, 'child.mjs')
    writeFileSync(
      file,
      `import { start } from ${JSON.stringify(built.entry)}
       const received = start().receive(process.env, { by: 'billing' })
       process.exitCode = received.orphan ? 3 : 0`,
    )
    const { run, handoff } = await new Promise<{ run: string; handoff: string }>((resolve, reject) => {
      void capture(async (handspan) => {
        const run = handspan.startRun()
        const handoff = run.handoff({ from: 'orders', to: 'billing' })
        expect(Object.keys(handoff.environment)).toEqual(['HANDSPAN_HANDOFF'])
        const env = { ...process.env, ...handoff.environment, HANDSPAN_DIR: join(directory, 'child') }
        const [code] = await once(spawn(process.execPath, [file], { env, stdio: 'inherit' }), 'close')
        expect(code).toBe(0)
        resolve({ run: run.id, handoff: handoff.id })
      }).catch(reject)
    })
    expect(readCaptures(join(directory, 'child'))).toMatchObject([{ kind: 'handoff.received', run, handoff }])
  } finally {
    rmSync(built.directory, { recursive: true, force: true })
    rmSync(directory, { recursive: true, force: true })
  }
})

describe('a hop that keeps only the trace', () => {
  afterEach(() => {
    trace.disable()
    context.disable()
  })

  /** Sender and receiver as two programs see it: all that crosses is `traceparent`. */
  async function hop(options: Partial<HandoffOptions> = {}): Promise<RunEvent[]> {
    const provider = new NodeTracerProvider()
    provider.register({ contextManager: new AsyncLocalStorageContextManager().enable() })
    let traceparent: string | undefined
    const sender = await capture((handspan) => {
      const run = handspan.startRun({ id: 'sender-run', principal: { kind: 'human', id: 'u-17' } })
      run.operation({ agent: 'orders', tool: 'reserve', key: 'k:1', effect: 'write' }).sent()
      traceparent = run.handoff({ from: 'orders', to: 'billing', ...options }).carrier.traceparent
    })
    await provider.shutdown()
    trace.disable()
    const receiver = await capture((handspan) => {
      const received = handspan.receive({ traceparent }, { by: 'billing', items: [], record: {} })
      received.accept()
      received.run.operation({ tool: 'send_invoice', key: 'k:2' }).sent()
    })
    return [...sender, ...receiver]
  }

  test('is an orphan with a link to the span of the sender', async () => {
    const events = await hop()
    const [sent] = ofKind(events, 'handoff.sent')
    const [received] = ofKind(events, 'handoff.received')
    expect(received).toMatchObject({ orphan: true, link: sent!.trace })
    expect(received!.run).not.toBe('sender-run')
  })

  test('is judged in the run of the sender, marked as inferred', async () => {
    const [analysis, ...others] = analyseTogether(await hop())
    expect(others).toEqual([])
    expect(analysis!.run.id).toBe('sender-run')
    const [handoff, ...more] = analysis!.run.handoffs
    expect(more).toEqual([])
    expect(handoff!.receipts).toHaveLength(1)
    expect(handoff!.accepted).toBeDefined()
    expect(handoff!.receipts[0]!.event).toMatchObject({ evidence: 'link', joined: { by: 'link' } })
    // Both sides number their operations; none takes the place of another.
    expect(analysis!.run.operations.size).toBe(2)
    const found = analysis!.findings.map(({ check }) => check)
    expect(found).toContain('op-in-doubt-key-missing')
    expect(found).not.toContain('received-without-sent')
  })

  test('says nothing of itself about who may do what', async () => {
    const [analysis] = analyseTogether(await hop())
    expect(analysis!.run.principal).toMatchObject({ id: 'u-17' })
    const claimed = '1;r=sender-run;h=h-1;a=1;c=5.6;p=admin'
    const events = await capture((handspan) => {
      const received = handspan.receive({ 'handspan-handoff': claimed }, { by: 'billing' })
      const next = received.run.handoff({ to: 'audit' })
      expect(next.record.origin).toBeUndefined()
      expect(next.record.permissions).toBeUndefined()
    })
    for (const event of events) expect(event).not.toHaveProperty('principal')
  })
})

test('an envelope with a clock far ahead moves no clock, and the receiver stays in the run', async () => {
  const ahead = (Date.now() + 3_600_000).toString(36)
  const events = await capture((handspan) => {
    handspan.receive({ 'handspan-handoff': `1;r=run-1;h=h-1;a=1;c=${ahead}.1` }, { by: 'billing' })
  })
  expect(events[0]!.run).toBe('run-1')
  expect(Date.parse(events[0]!.at!)).toBeLessThan(Date.now() + 60_000)
})
