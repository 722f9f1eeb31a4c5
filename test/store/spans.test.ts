import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import type { Span } from '../../otlp/span.ts'
import type { Store } from '../../store/index.ts'
import { spansOf } from '../importers/build-spans.ts'
import { edgesIn } from '../importers/handoffs.ts'
import { nativeSpans } from '../importers/native.ts'
import { runOfTrace, spansOfTrace, TRACES } from '../importers/traces.ts'
import { line, newFolder, opened } from './folder.ts'

/** Appends spans to a segment of a spool, as the receiver writes them. */
function spool(folder: string, name: string, spans: readonly Span[]): void {
  mkdirSync(join(folder, 'spool'), { recursive: true })
  appendFileSync(
    join(folder, 'spool', `${name}.spans.jsonl`),
    spans.map((span) => `${JSON.stringify(span)}\n`).join(''),
  )
}

async function runsIn(store: Store): Promise<string[]> {
  return (await store.query('SELECT run FROM runs ORDER BY run')).map(({ run }) => String(run))
}

async function eventsOf(store: Store, run: string): Promise<RunEvent[]> {
  return await store.readRun(run)
}

describe('spans in the spool', () => {
  it('become a run, once, and late ones complete it', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const whole = runOfTrace('google-adk-js-transfer')
    const spans = spansOfTrace('google-adk-js-transfer')
    spool(folder, 'h-1-1-1', spans.slice(0, 4))
    expect(await store.ingest()).toMatchObject({ spans: 4, events: 0, runs: 1 })
    const early = await eventsOf(store, whole.run)
    expect(early).not.toEqual(whole.events)
    spool(folder, 'h-1-1-1', spans.slice(4))
    spool(folder, 'h-2-1-1', spans)
    expect(await store.ingest()).toMatchObject({ spans: spans.length - 4, duplicates: spans.length, runs: 1 })
    expect(await eventsOf(store, whole.run)).toEqual(whole.events)
    expect(await store.ingest()).toMatchObject({ spans: 0, runs: 0 })
    expect(await store.query('SELECT from_agent, to_agent, evidence FROM handoffs')).toEqual([
      { from_agent: 'coordinator', to_agent: 'refund_agent', evidence: 'tool_argument' },
    ])
    expect(
      await store.query('SELECT count(*)::INTEGER AS n, count(DISTINCT run)::INTEGER AS runs FROM spans'),
    ).toEqual([{ n: spans.length, runs: 1 }])
  })

  it('of two instrumentations and the native export are one run, whichever comes first, and after a rebuild', async () => {
    const parts = [
      spansOfTrace('music-composer.openllmetry'),
      spansOfTrace('music-composer.openinference'),
      nativeSpans('music-composer.native.json'),
    ]
    const seen: unknown[] = []
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
    ]) {
      const folder = newFolder()
      const store = await opened(folder)
      for (const part of order) {
        spool(folder, `h-${part}-1-1`, parts[part]!)
        await store.ingest()
        expect(await runsIn(store)).toHaveLength(1)
      }
      const [run] = await runsIn(store)
      const events = await eventsOf(store, run!)
      expect(edgesIn(events)).toEqual(['Orchestra Conductor → Symphony Composer (transfer, explicit)'])
      expect(await store.query("SELECT count(*)::INTEGER AS n FROM events WHERE kind = 'run.start'")).toEqual(
        [{ n: 1 }],
      )
      const derived = await store.query('SELECT * FROM handoffs')
      await store.rebuild()
      expect(await eventsOf(store, run!)).toEqual(events)
      expect(await store.query('SELECT * FROM handoffs')).toEqual(derived)
      seen.push(events)
    }
    expect(seen[0]).toEqual(seen[1])
  })

  it.each(['log first', 'spans first'])('give way to the run log of the same run: %s', async (order) => {
    const folder = newFolder()
    const store = await opened(folder)
    const log = [
      { run: 'run-7', seq: 1, kind: 'handoff.sent', handoff: 'h-1', from: 'orders', to: 'billing' },
      { run: 'run-7', seq: 2, kind: 'handoff.received', handoff: 'h-1', by: 'billing', items: ['pay'] },
    ]
    const write = {
      log: () => {
        mkdirSync(join(folder, 'spool'), { recursive: true })
        writeFileSync(join(folder, 'spool', 'h-1-1-1.jsonl'), log.map(line).join(''))
      },
      spans: () =>
        spool(
          folder,
          'h-1-1-1',
          spansOf('handspan', [
            {
              name: 'handoff billing',
              attributes: {
                'handspan.run.id': 'run-7',
                'handspan.handoff.id': 'h-1',
                'handspan.side': 'sent',
                'handspan.source.name': 'orders',
                'handspan.target.name': 'billing',
              },
            },
          ]),
        ),
    }
    const [first, second] = order === 'log first' ? [write.log, write.spans] : [write.spans, write.log]
    first()
    await store.ingest()
    expect(await runsIn(store)).toEqual(['run-7'])
    second()
    await store.ingest()
    expect(await runsIn(store)).toEqual(['run-7'])
    expect((await eventsOf(store, 'run-7')).map(({ kind }) => kind)).toEqual([
      'handoff.sent',
      'handoff.received',
    ])
    await store.rebuild()
    expect((await eventsOf(store, 'run-7')).map(({ kind }) => kind)).toEqual([
      'handoff.sent',
      'handoff.received',
    ])
  })

  it('that are none go to quarantine, and what tells of no agents makes no run', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    spool(folder, 'h-1-1-1', spansOf('http', [{ name: 'GET /' }]))
    appendFileSync(join(folder, 'spool', 'h-1-1-1.spans.jsonl'), '{"traceId": 1}\nno json\n')
    expect(await store.ingest()).toMatchObject({ spans: 1, quarantined: 2, runs: 0 })
    expect(await store.query('SELECT line_number FROM quarantine ORDER BY 1')).toEqual([
      { line_number: 2 },
      { line_number: 3 },
    ])
    expect(await store.query('SELECT run, name FROM spans')).toEqual([{ run: null, name: 'GET /' }])
  })
})

describe('importing files of spans', () => {
  const files = [
    'triage.openinference.otlp.json',
    'triage.openinference.otlp.pb',
    'triage.openllmetry.otlp.json',
    'triage.native.json',
  ]

  it.each(files)('reads %s by its content', async (file) => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    // The name says nothing.
    const path = join(folder, 'export')
    copyFileSync(join(TRACES, file), path)
    expect(await store.importPaths([path])).toMatchObject({ events: 0, quarantined: 0, runs: 1 })
    expect(await store.importPaths([path])).toMatchObject({ spans: 0, runs: 0 })
    expect(await store.query('SELECT from_agent, to_agent FROM handoffs')).toEqual([
      { from_agent: 'TriageAgent', to_agent: 'AgentA' },
    ])
  })

  it('reads requests a line, as a Collector writes them, and names the line that it cannot read', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const request = { resourceSpans: [] as unknown[] }
    const one = {
      ...request,
      resourceSpans: [{ scopeSpans: [{ scope: { name: 'gen_ai' }, spans: [otlp('1', 'invoke_agent')] }] }],
    }
    const other = {
      ...request,
      resourceSpans: [
        { scopeSpans: [{ scope: { name: 'gen_ai' }, spans: [otlp('2', 'chat'), otlp('', 'chat')] }] },
      ],
    }
    const path = join(folder, 'traces.json')
    writeFileSync(path, `${JSON.stringify(one)}\n{"resourceSpans": [\n${JSON.stringify(other)}\n`)
    expect(await store.importPaths([path])).toMatchObject({ spans: 2, quarantined: 2 })
    expect(await store.query('SELECT line_number, reason FROM quarantine ORDER BY 1')).toMatchObject([
      { line_number: 2 },
      { line_number: 3, reason: expect.stringContaining('span id') },
    ])
  })

  it('refuses JSON that holds neither, and says what is read', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const path = join(folder, 'package.json')
    writeFileSync(path, '{\n  "name": "x"\n}\n')
    await expect(store.importPaths([path])).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining(path),
      remedy: expect.stringContaining('OTLP'),
    })
  })

  it('reads exports of Langfuse and LangSmith', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    const at = (second: number) => `2031-05-06T07:08:0${second}.5Z`
    const observation = (id: string, parent: string | null, type: string, second: number, more = {}) => ({
      id,
      traceId: 'b'.repeat(32),
      parentObservationId: parent,
      type,
      name: id,
      startTime: at(second),
      endTime: at(second + 1),
      ...more,
    })
    writeFileSync(
      join(folder, 'langfuse.json'),
      JSON.stringify(
        {
          data: [
            observation('boss', null, 'AGENT', 0, { endTime: at(8) }),
            observation('ask', 'boss', 'TOOL', 1, { endTime: at(5), output: 'yes' }),
            observation('helper', 'ask', 'AGENT', 2),
            observation('call', 'helper', 'GENERATION', 3, {
              input: [{ role: 'user', content: 'is it?' }],
              output: { role: 'assistant', content: 'yes' },
            }),
          ],
        },
        null,
        2,
      ),
    )
    const run = (id: string, type: string, second: number, node: string, more = {}) => ({
      id,
      trace_id: 'c'.repeat(32),
      name: id,
      run_type: type,
      start_time: at(second),
      end_time: at(second + 1),
      extra: { metadata: { langgraph_node: node } },
      ...more,
    })
    writeFileSync(
      join(folder, 'langsmith.jsonl'),
      [
        run('transfer_to_b', 'tool', 1, 'a', { outputs: { output: { lg_name: 'Command', goto: ['b'] } } }),
        run('model', 'llm', 2, 'b', { inputs: { messages: [[{ role: 'user', content: 'go' }]] } }),
      ]
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    )
    await store.importPaths([join(folder, 'langfuse.json'), join(folder, 'langsmith.jsonl')])
    expect(
      await store.query(
        'SELECT from_agent, to_agent, mode, evidence, items_after FROM handoffs ORDER BY run, sent_at',
      ),
    ).toEqual([
      { from_agent: 'boss', to_agent: 'helper', mode: 'delegate', evidence: 'nesting', items_after: 1 },
      { from_agent: 'helper', to_agent: 'boss', mode: 'return', evidence: 'nesting', items_after: null },
      { from_agent: 'a', to_agent: 'b', mode: 'transfer', evidence: 'tool_argument', items_after: 1 },
    ])
  })
})

function otlp(id: string, operation: string) {
  return {
    traceId: 'd'.repeat(32),
    spanId: id === '' ? 'short' : id.repeat(16),
    name: operation,
    startTimeUnixNano: '1795978000000000000',
    endTimeUnixNano: '1795978001000000000',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: operation } },
      { key: 'gen_ai.agent.name', value: { stringValue: 'a' } },
    ],
  }
}
