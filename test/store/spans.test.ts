import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import type { Span } from '../../otlp/span.ts'
import type { Store } from '../../store/index.ts'
import { idOf, spansOf } from '../importers/build-spans.ts'
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

describe('spans of a framework beside the run log of the same run', () => {
  const TRACE = 'a'.repeat(32)
  const AT = '2026-11-29T18:46:40.010Z'
  const log = (run: string, more: Record<string, unknown>[] = [], trace = TRACE) =>
    [
      { run, seq: 1, kind: 'run.start', principal: { kind: 'human' } },
      { run, seq: 2, kind: 'handoff.sent', handoff: 'h-1', from: 'orders', to: 'billing', trace: own(trace) },
      { run, seq: 3, kind: 'handoff.received', handoff: 'h-1', by: 'billing', items: ['pay'] },
      ...more.map((event, index) => ({ run, seq: 4 + index, ...event })),
      { run, seq: 9, kind: 'run.end', outcome: 'done' },
    ]
      .map((event) => line({ at: AT, ...event }))
      .join('')
  const own = (id: string) => ({ id, span: idOf('handoff') })
  /** What the framework itself tells of the handoff, in spans of its own. */
  const told = (trace = TRACE) =>
    spansOf(
      'openinference.instrumentation.openai_agents',
      [
        { name: 'orders', attributes: agent('orders') },
        {
          name: 'handoff to billing',
          under: 'orders',
          attributes: {
            'openinference.span.kind': 'TOOL',
            'input.value': 'orders',
            'output.value': 'billing',
          },
        },
        { name: 'billing', attributes: agent('billing') },
      ],
      trace,
    )
  const agent = (name: string) => ({
    'openinference.span.kind': 'AGENT',
    'graph.node.id': name,
    'agent.name': name,
  })
  const spoolLog = (folder: string, text: string) => {
    mkdirSync(join(folder, 'spool'), { recursive: true })
    appendFileSync(join(folder, 'spool', 'h-1-1-1.jsonl'), text)
  }
  /** One run, told by its log alone; every span belongs to it. */
  const expectOne = async (store: Store, run: string) => {
    expect(await runsIn(store)).toEqual([run])
    expect(await store.query('SELECT DISTINCT run FROM spans')).toEqual([{ run }])
    expect(await store.query('SELECT run, handoff FROM handoffs')).toEqual([{ run, handoff: 'h-1' }])
    expect(await store.query("SELECT count(*)::INTEGER AS n FROM events WHERE source = 'spans'")).toEqual([
      { n: 0 },
    ])
  }

  it('make a run of their own where no log is', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    spool(folder, 'h-1-1-1', told())
    await store.ingest()
    expect(await runsIn(store)).toEqual([TRACE])
    expect(await store.query('SELECT from_agent, to_agent FROM handoffs')).toEqual([
      { from_agent: 'orders', to_agent: 'billing' },
    ])
  })

  it.each(['log first', 'spans first', 'both at once'])(
    'belong to the run whose log names their trace: %s, and after a rebuild',
    async (order) => {
      const folder = newFolder()
      const store = await opened(folder)
      const writes = [() => spoolLog(folder, log('run-7')), () => spool(folder, 'h-1-1-1', told())]
      if (order === 'spans first') writes.reverse()
      for (const write of writes) {
        write()
        if (order !== 'both at once') await store.ingest()
      }
      await store.ingest()
      await expectOne(store, 'run-7')
      expect(await eventsOf(store, 'run-7')).toHaveLength(4)
      await store.rebuild()
      await expectOne(store, 'run-7')
      expect(await store.ingest()).toMatchObject({ events: 0, spans: 0, runs: 0 })
    },
  )

  it('belong to it in the trace of the receiver too, and where the log has no times', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const far = 'b'.repeat(32)
    spool(folder, 'h-1-1-1', told(far))
    await store.ingest()
    expect(await runsIn(store)).toEqual([far])
    const received = { kind: 'message', at: undefined, trace: own(far.toUpperCase()) }
    spoolLog(folder, log('run-7', [received], 'c'.repeat(32)))
    await store.ingest()
    await expectOne(store, 'run-7')
  })

  it('belong to it with all that a second instrumentation told in another trace', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const parts = [
      spansOfTrace('music-composer.openllmetry'),
      spansOfTrace('music-composer.openinference'),
      nativeSpans('music-composer.native.json'),
    ]
    for (const [index, part] of parts.entries()) spool(folder, `h-${index}-1-1`, part)
    const at = new Date(Number(BigInt(parts[1]![0]!.startNanos) / 1_000_000n)).toISOString()
    spoolLog(
      folder,
      log('run-7', [{ at, kind: 'message', trace: own(parts[1]![0]!.traceId) }], 'c'.repeat(32)),
    )
    await store.ingest()
    await expectOne(store, 'run-7')
  })

  it('that come late are no reason to judge the logged run again', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    spoolLog(folder, log('run-7'))
    spool(folder, 'h-1-1-1', told().slice(0, 1))
    expect(await store.ingest()).toMatchObject({ runs: 1 })
    spool(folder, 'h-1-1-1', told().slice(1))
    expect(await store.ingest()).toMatchObject({ spans: 2, runs: 0 })
    await expectOne(store, 'run-7')
  })

  it.each([
    ['on most events, whichever came first', 'run-9', [{ kind: 'message', trace: own(TRACE) }]],
    ['first by its id, where they do alike', 'run-1', []],
  ])('of several logged runs in one trace belong to the one that names it %s', async (_, run, more) => {
    for (const order of [
      ['run-1', 'run-9'],
      ['run-9', 'run-1'],
    ]) {
      const folder = newFolder()
      const store = await opened(folder)
      spool(folder, 'h-1-1-1', told())
      for (const one of order) {
        spoolLog(folder, log(one, one === 'run-9' ? more : []))
        await store.ingest()
      }
      expect(await runsIn(store)).toEqual(['run-1', 'run-9'])
      expect(await store.query('SELECT DISTINCT run FROM spans')).toEqual([{ run }])
    }
  })

  it('stay with the run that a span of handspan names, or that has its log under the id of the trace', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    const named = {
      'handspan.run.id': 'run-2',
      'handspan.handoff.id': 'h-1',
      'handspan.side': 'sent',
      'handspan.source.name': 'orders',
      'handspan.target.name': 'billing',
    }
    spool(folder, 'h-1-1-1', [
      ...told(),
      ...spansOf('handspan', [{ name: 'handoff', at: 50, attributes: named }]),
      ...told('b'.repeat(32)),
    ])
    spoolLog(folder, log('run-7') + log('b'.repeat(32)) + log('run-8', [], 'b'.repeat(32)))
    await store.ingest()
    expect(await store.query('SELECT DISTINCT run, trace_id FROM spans ORDER BY run')).toEqual([
      { run: 'b'.repeat(32), trace_id: 'b'.repeat(32) },
      { run: 'run-2', trace_id: TRACE },
    ])
  })

  it('let go of what was joined into the run that they were', async () => {
    const folder = newFolder()
    const store = await opened(folder)
    spool(folder, 'h-1-1-1', told())
    await store.ingest()
    const [handoff] = (await eventsOf(store, TRACE)).filter(({ kind }) => kind === 'handoff.sent')
    const link = { id: TRACE, span: (handoff!.trace as { span: string }).span }
    spoolLog(
      folder,
      line({
        run: 'stray',
        seq: 1,
        kind: 'handoff.received',
        handoff: 'h-5',
        by: 'billing',
        orphan: true,
        link,
      }),
    )
    await store.ingest()
    expect(await runsIn(store)).toEqual([TRACE])
    spoolLog(folder, log('run-7'))
    await store.ingest()
    expect(await runsIn(store)).toEqual(['run-7', 'stray'])
    expect(await store.query('SELECT * FROM joined')).toEqual([])
  })

  it('given as files together with the log are one run with it', async () => {
    const folder = newFolder()
    const store = await opened(join(folder, 'store'))
    writeFileSync(join(folder, 'spans.json'), told().map(inRequest).join(''))
    writeFileSync(join(folder, 'run.jsonl'), log('run-7'))
    await store.importPaths([join(folder, 'spans.json'), join(folder, 'run.jsonl')])
    await expectOne(store, 'run-7')
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
    expect(await store.importPaths([path])).toMatchObject({
      unread: [{ reason: expect.stringContaining(path), remedy: expect.stringContaining('OTLP') }],
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

/** A span as a line of a Collector's file exporter. */
function inRequest({
  traceId,
  spanId,
  parentSpanId,
  name,
  startNanos,
  endNanos,
  attributes,
  scope,
}: Span): string {
  const span = {
    traceId,
    spanId,
    parentSpanId,
    name,
    startTimeUnixNano: startNanos,
    endTimeUnixNano: endNanos,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  }
  return `${JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope, spans: [span] }] }] })}\n`
}
