import { describe, expect, it } from 'vitest'
import { importRuns, importSpans } from '../../importers/index.ts'
import { isKind } from '../../model/run-log.ts'
import { analyse } from '../../replay/analyse.ts'
import { genAIMessages, spansOf } from './build-spans.ts'
import { edgesIn, handoffsIn, operationsIn, substance } from './handoffs.ts'
import { nativeSpans } from './native.ts'
import { recorded, spansOfTrace } from './traces.ts'

/* What misleads in spans of others, one trap a test. */

const invoke = (name: string) => ({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name })
const chat = (...messages: Parameters<typeof genAIMessages>) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.input.messages': genAIMessages(...messages),
})
const tool = (name: string, more = {}) => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  ...more,
})

describe('one run that several instrumentations told', () => {
  const alone = (name: string) => importRuns(spansOfTrace(name))[0]!

  it.each(['music-composer', 'triage'])('is one run: %s, three exports', (scenario) => {
    const runs = importRuns([
      ...spansOfTrace(`${scenario}.openllmetry`),
      ...spansOfTrace(`${scenario}.openinference`),
      ...nativeSpans(`${scenario}.native.json`),
    ])
    expect(runs).toHaveLength(1)
    expect(runs[0]!.traces).toHaveLength(3)
    // Nothing twice, and nothing less than the best of them tells.
    const kinds = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind)
    expect(kinds(runs[0]!.events)).toEqual(kinds(alone(`${scenario}.openinference`).events))
    expect(edgesIn(runs[0]!.events)).toEqual(edgesIn(alone(`${scenario}.openinference`).events))
    expect(handoffsIn(runs[0]!.events)[0]!.received[0]!.items).toEqual(
      handoffsIn(alone(`${scenario}.openinference`).events)[0]!.received[0]!.items,
    )
  })

  it('is one run too where both write into one trace', () => {
    const inOne = spansOfTrace('music-composer.openllmetry').map((span) => ({
      ...span,
      traceId: spansOfTrace('music-composer.openinference')[0]!.traceId,
    }))
    const runs = importRuns([...inOne, ...spansOfTrace('music-composer.openinference')])
    expect(runs).toHaveLength(1)
    expect(edgesIn(runs[0]!.events)).toEqual(['Orchestra Conductor → Symphony Composer (transfer, explicit)'])
    expect(Object.keys(operationsIn(runs[0]!.events))).toHaveLength(1)
  })

  it('is several runs where scripted models only gave the same ids', () => {
    // ADK, LangGraph and the AI SDK were run with one script: call_t1 and call_l1 stand in all of them.
    const all = recorded.flatMap((name) => spansOfTrace(name))
    const runs = importRuns(all)
    expect(runs).toHaveLength(recorded.length - 2)
    const again = spansOfTrace('strands-js-swarm').map((span) => ({ ...span, traceId: 'f'.repeat(32) }))
    expect(importRuns([...spansOfTrace('strands-js-swarm'), ...again])).toHaveLength(2)
  })
})

describe('spans that are not there', () => {
  const langgraph = spansOfTrace('langgraph-js-swarm.openinference')

  it('a call whose span is lost is known from the requests to the model, and that is said', () => {
    const { events, notes } = importSpans(langgraph.filter(({ name }) => name !== 'lookup_order'))
    expect(operationsIn(events)).toEqual({ 'refund_agent lookup_order call_l1': 'proposed, settled' })
    expect(notes.map(({ text }) => text).join()).toContain('has no span')
  })

  it('a call that was refused leaves no span and no result: it was asked for, and nothing else is told', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent a', id: 'a', attributes: invoke('a') },
        {
          name: 'chat',
          under: 'a',
          attributes: {
            ...chat(['user', 'wire it']),
            'gen_ai.output.messages': genAIMessages([
              'assistant',
              { type: 'tool_call', id: 'c1', name: 'wire', arguments: {} },
            ]),
          },
        },
      ]),
    )
    expect(operationsIn(events)).toEqual({ 'a wire c1': 'proposed' })
    expect(analyse(events).findings).toEqual([])
  })

  it('a parent that never came is said, the run is not called ended, and the rest is read', () => {
    const { events, notes } = importSpans(langgraph.filter(({ name }) => name !== 'LangGraph'))
    expect(edgesIn(events)).toEqual(['coordinator → refund_agent (transfer, tool_argument)'])
    expect(events.some(({ kind }) => kind === 'run.end')).toBe(false)
    expect(notes.map(({ text }) => text).join()).toContain('names a parent that is not here')
  })

  it('a handoff span that is lost is known from the span of the receiver', () => {
    const spans = spansOfTrace('triage.openinference').filter(({ name }) => !name.startsWith('handoff'))
    expect(edgesIn(importSpans(spans).events)).toEqual(['TriageAgent → AgentA (transfer, explicit)'])
  })

  it('a receiver that never came leaves the handoff sent and no more', () => {
    const [run] = importRuns(
      spansOfTrace('triage.openinference').filter(({ name }) => /Triage|handoff|turn/.test(name)),
    )
    const [handoff] = handoffsIn(run!.events)
    expect(handoff).toMatchObject({ from: 'TriageAgent', to: 'AgentA', received: [] })
  })
})

describe('what a span says and does not mean', () => {
  it('an error status is no failure: ParentCommand', () => {
    const spans = spansOfTrace('langgraph-js-swarm.openinference')
    expect(spans.filter(({ status }) => status.code === 'error').length).toBeGreaterThan(2)
    const { events } = importSpans(spans)
    expect(events.filter(({ kind }) => /failed/.test(kind))).toEqual([])
    expect(events.at(-1)!.kind).toBe('run.end')
  })

  it('a tool that failed did fail, and one that timed out is in doubt', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent a', id: 'a', attributes: invoke('a') },
        {
          name: 'one',
          under: 'a',
          attributes: tool('refund', { 'gen_ai.tool.call.id': 'c1' }),
          error: 'no such order',
        },
        {
          name: 'two',
          under: 'a',
          attributes: tool('charge', { 'gen_ai.tool.call.id': 'c2' }),
          error: 'request timed out',
        },
      ]),
    )
    expect(operationsIn(events)).toEqual({ 'a refund c1': 'sent, failed', 'a charge c2': 'sent, unknown' })
  })

  it('nesting is no direction: ADK nests the receiver, and control does not return', () => {
    expect(edgesIn(importSpans(spansOfTrace('google-adk-js-transfer')).events)).toEqual([
      'coordinator → refund_agent (transfer, tool_argument)',
    ])
  })

  it('a name is no evidence: a tool called handoff_to_… in which an agent runs is a delegation', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent a', id: 'a', attributes: invoke('a'), until: 900 },
        { name: 'execute_tool', id: 't', under: 'a', attributes: tool('handoff_to_b'), until: 500 },
        { name: 'invoke_agent b', under: 't', attributes: invoke('b') },
      ]),
    )
    expect(edgesIn(events)).toEqual(['a → b (delegate, nesting)', 'b → a (return, nesting)'])
  })

  it('sibling runs in one trace are no handoff', () => {
    const { events } = importSpans(
      spansOf('pydantic-ai', [
        { name: 'workflow', id: 'w', until: 900, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
        { name: 'invoke_agent a', under: 'w', attributes: invoke('a') },
        { name: 'invoke_agent b', under: 'w', attributes: invoke('b') },
      ]),
    )
    expect(edgesIn(events)).toEqual([])
  })

  it('parallel delegations to one agent are told apart by where they run', () => {
    const { events } = importSpans(
      spansOf('any', [
        { name: 'invoke_agent boss', id: 'boss', attributes: invoke('boss'), until: 900 },
        {
          name: 't1',
          under: 'boss',
          at: 10,
          until: 300,
          attributes: tool('delegate', { 'gen_ai.tool.call.id': 'c1' }),
        },
        {
          name: 't2',
          under: 'boss',
          at: 11,
          until: 200,
          attributes: tool('delegate', { 'gen_ai.tool.call.id': 'c2' }),
        },
        { name: 'w2', under: 't2', at: 20, until: 190, attributes: invoke('worker') },
        { name: 'w1', under: 't1', at: 21, until: 290, attributes: invoke('worker') },
        { name: 'm1', under: 'w1', at: 30, attributes: chat(['user', 'first']) },
        { name: 'm2', under: 'w2', at: 31, attributes: chat(['user', 'second']) },
      ]),
    )
    const there = handoffsIn(events).filter(({ mode }) => mode === 'delegate')
    expect(there.map(({ call, received }) => [call, substance(received[0]!.items)])).toEqual([
      ['c1', ['user: first']],
      ['c2', ['user: second']],
    ])
  })

  it('flattened history is no turn of the user: nothing is said of it', () => {
    const { events } = importSpans(spansOfTrace('google-adk-js-transfer'))
    expect(JSON.stringify(events)).toContain('For context:')
    expect(analyse(events).findings).toEqual([])
  })

  it('lists spread over keys that lost some are not taken for whole', () => {
    const spans = spansOf('openinference.x', [
      {
        name: 'llm',
        attributes: {
          'openinference.span.kind': 'LLM',
          'llm.input_messages.1.message.role': 'user',
          'llm.input_messages.1.message.content': 'second',
        },
      },
    ])
    const whole = importSpans(spans).events.find((event) => isKind(event, 'model.input'))!
    expect(substance(whole.items)).toEqual(['user: second'])
    const cut = importSpans(spans.map((span) => ({ ...span, dropped: 3 })))
    expect(cut.events.find((event) => isKind(event, 'model.input'))!.items).toBeUndefined()
    expect(cut.notes.map(({ text }) => text).join()).toContain('dropped attributes')
  })

  it('a target that nobody knows is said and not guessed', () => {
    const spans = spansOfTrace('triage.openllmetry').filter(({ name }) => !name.startsWith('AgentA'))
    const { events, notes } = importSpans(spans)
    expect(edgesIn(events)).toEqual(['TriageAgent → ? (transfer, next_span)'])
    expect(notes.map(({ text }) => text).join()).toContain('its target is not known')
  })

  it('a failed handoff of the native export names no target', () => {
    const spans = nativeSpans('triage.native.json').map((span) =>
      JSON.stringify(span.attributes).includes('"handoff"')
        ? {
            ...span,
            attributes: {
              ...span.attributes,
              span_data: { type: 'handoff', from_agent: 'TriageAgent', to_agent: null },
            },
          }
        : span,
    )
    const { events } = importSpans(spans)
    expect(events.filter(({ kind }) => kind === 'handoff.failed')).toMatchObject([
      { outcome: 'refused-before-effect' },
    ])
  })
})
