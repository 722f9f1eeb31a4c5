import { describe, expect, it } from 'vitest'
import { importRuns } from '../../importers/index.ts'
import { textOfContent } from '../../model/items.ts'
import { isObject } from '../../model/json.ts'
import { isKind, type RunEvent } from '../../model/run-log.ts'
import { edgesIn, handoffsIn, operationsIn, substance } from './handoffs.ts'
import { nativeSpans } from './native.ts'
import { inBoth, jsonOfTrace, recorded, runOfTrace, spansOfTrace, textOfTrace } from './traces.ts'

/*
 * Real exports of real frameworks, beside which stands what their scripted models were really asked
 * (`….model-requests.json`, written by the model itself), and TRUTH.tsv for the two runs of OpenAI Agents.
 */

const [head, ...lines] = textOfTrace('TRUTH.tsv').trimEnd().split('\n')
const columns = head!.split('\t')
const truth = lines.map(
  (line) =>
    Object.fromEntries(line.split('\t').map((value, index) => [columns[index]!, value])) as Record<
      string,
      string
    >,
)
const handoffRows = truth.filter(({ from_agent }) => from_agent !== '(tool)')
const toolRows = truth.filter(({ from_agent }) => from_agent === '(tool)')

function requestsOf(scenario: string): Record<string, unknown>[] {
  return jsonOfTrace(`${scenario}.model-requests.json`) as Record<string, unknown>[]
}

describe('TRUTH.tsv', () => {
  it('has handoffs and a tool', () => {
    expect(handoffRows.length).toBe(2)
    expect(toolRows.length).toBe(1)
  })

  describe.each(['json', 'protobuf'] as const)('in %s', (encoding) => {
    it.each(handoffRows)('OpenInference tells $scenario to the letter', (row) => {
      const [run] = importRuns(spansOfTrace(`${row.scenario}.openinference`, encoding))
      const [handoff, ...more] = handoffsIn(run!.events)
      expect(more).toEqual([])
      expect(handoff).toMatchObject({
        from: row.from_agent,
        to: row.to_agent,
        call: row.call_id,
        evidence: 'explicit',
        mode: 'transfer',
        sent: { tool: row.tool_name },
      })
      const request = requestsOf(row.scenario!)[Number(row.receiver_model_request_index)]!
      const [received] = handoff!.received
      expect(received!.items).toEqual(request.input)
      expect(received!.items).toHaveLength(Number(row.receiver_input_items))
      expect(received!.instructions).toBe(request.instructions)
      expect(JSON.stringify(received!.items)).toContain(row.item_id)
    })

    it.each(handoffRows)('OpenLLMetry tells the same of $scenario, the target inferred', (row) => {
      const [run] = importRuns(spansOfTrace(`${row.scenario}.openllmetry`, encoding))
      const [handoff, ...more] = handoffsIn(run!.events)
      expect(more).toEqual([])
      expect(handoff).toMatchObject({
        from: row.from_agent,
        to: row.to_agent,
        call: row.call_id,
        evidence: 'next_span',
        sent: { tool: row.tool_name },
      })
      const request = requestsOf(row.scenario!)[Number(row.receiver_model_request_index)]!
      const [received] = handoff!.received
      expect(substance(received!.items)).toEqual(substance(request.input))
      expect(received!.items).toHaveLength(Number(row.receiver_input_items))
      expect(received!.instructions).toBe(request.instructions)
      // The id of the item is kept beside that of the call, by which the result is joined.
      expect(JSON.stringify(received!.items)).toContain(`"item_id":"${row.item_id}"`)
    })
  })

  it.each(handoffRows)('the native export tells who handed to whom in $scenario, and no content', (row) => {
    const [run] = importRuns(nativeSpans(`${row.scenario}.native.json`))
    expect(run!.run).toBe(row.native_trace_id!.replace('trace_', ''))
    const [handoff, ...more] = handoffsIn(run!.events)
    expect(more).toEqual([])
    expect(handoff).toMatchObject({ from: row.from_agent, to: row.to_agent, evidence: 'explicit' })
    expect(handoff!.sent).toMatchObject({ native: row.native_span_id })
    expect(handoff!.call).toBeUndefined()
    expect(handoff!.received).toHaveLength(1)
    expect(handoff!.received[0]!.items).toBeUndefined()
    expect(run!.notes.map(({ text }) => text).join()).toMatch(
      /content of a request to a model was not captured/,
    )
  })

  it.each(toolRows)('every export tells the call of $to_agent in $scenario', (row) => {
    for (const spans of [
      spansOfTrace(`${row.scenario}.openinference`),
      spansOfTrace(`${row.scenario}.openllmetry`),
      nativeSpans(`${row.scenario}.native.json`),
    ]) {
      const events = importRuns(spans)[0]!.events
      const calls = events.filter((event) => isKind(event, 'operation'))
      expect(calls.map(({ state }) => state)).toEqual(['sent', 'settled'])
      expect(calls[0]).toMatchObject({ tool: row.to_agent, args: JSON.parse(row.arguments!) })
    }
  })

  it('joins the call of a tool whose span does not name it', () => {
    for (const voice of ['openinference', 'openllmetry']) {
      expect(operationsIn(runOfTrace(`music-composer.${voice}`).events)).toEqual({
        'Symphony Composer compose_music call_B6pmEGgYkNcOtg8K8wpLVj1b': 'sent, settled',
      })
    }
  })
})

/** What the model of each export was really asked: items and instructions, out of the form of its framework. */
const asked: Record<string, (request: never) => { items: unknown; instructions: string }> = {
  'music-composer.openinference': responsesRequest,
  'music-composer.openllmetry': responsesRequest,
  'triage.openinference': responsesRequest,
  'triage.openllmetry': responsesRequest,
  'openai-agents-js.openinference': responsesRequest,
  'google-adk-js-transfer': ({
    contents,
    config,
  }: {
    contents: unknown
    config: { systemInstruction: string }
  }) => ({
    items: contents,
    instructions: config.systemInstruction,
  }),
  'langgraph-js-swarm.openinference': headed,
  'langgraph-js-supervisor.openinference': ({ messages }: { messages: unknown[] }) => headed(messages),
  'vercel-ai-sdk-v6-subagent': headed,
  'vercel-ai-sdk-v7-subagent': ({ prompt }: { prompt: unknown[] }) => headed(prompt),
  // Mastra puts the instructions of the caller behind those of the helper.
  'mastra-subagent': ({ prompt }: { prompt: { role: string; content: string }[] }) => ({
    items: prompt.filter(({ role }) => role !== 'system'),
    instructions: prompt
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n\n'),
  }),
  'strands-js-swarm': ({ messages, system }: { messages: unknown[]; system: string }) => ({
    items: messages,
    instructions: system,
  }),
}

function responsesRequest({ input, instructions }: { input: unknown; instructions: string }) {
  return { items: input, instructions }
}

function headed([system, ...items]: unknown[]): { items: unknown; instructions: string } {
  return { items, instructions: String(isObject(system) ? system.content : '') }
}

const told: Record<string, string[]> = {
  'music-composer.openinference': ['Orchestra Conductor → Symphony Composer (transfer, explicit)'],
  'music-composer.openllmetry': ['Orchestra Conductor → Symphony Composer (transfer, next_span)'],
  'triage.openinference': ['TriageAgent → AgentA (transfer, explicit)'],
  'triage.openllmetry': ['TriageAgent → AgentA (transfer, next_span)'],
  'openai-agents-js.openinference': ['Coordinator → Refund Agent (transfer, explicit)'],
  'google-adk-js-transfer': ['coordinator → refund_agent (transfer, tool_argument)'],
  'langgraph-js-swarm.openinference': ['coordinator → refund_agent (transfer, tool_argument)'],
  'langgraph-js-supervisor.openinference': [
    'supervisor → refund_agent (transfer, tool_argument)',
    'refund_agent → supervisor (return, tool_argument)',
  ],
  'vercel-ai-sdk-v6-subagent': [
    'coordinator → refund_agent (delegate, nesting)',
    'refund_agent → coordinator (return, nesting)',
  ],
  'vercel-ai-sdk-v7-subagent': [
    'coordinator → refund_agent (delegate, nesting)',
    'refund_agent → coordinator (return, nesting)',
  ],
  'mastra-subagent': [
    'coordinator → refund_agent (delegate, nesting)',
    'refund_agent → coordinator (return, nesting)',
  ],
  'strands-js-swarm': ['coordinator → refund_agent (transfer, tool_argument)'],
}

describe('every recorded export', () => {
  it('has its truth', () => {
    expect(Object.keys(asked).sort()).toEqual([...recorded].sort())
    expect(Object.keys(told).sort()).toEqual([...recorded].sort())
  })

  it.each(recorded)(
    '%s tells who handed to whom, each with its call, and each handoff received once',
    (name) => {
      const { events } = runOfTrace(name)
      expect(edgesIn(events)).toEqual(told[name])
      for (const handoff of handoffsIn(events)) {
        expect(handoff.call).toMatch(/^(call_\w+|[0-9a-f-]{36})$/)
        expect(handoff.received).toHaveLength(1)
      }
    },
  )

  it.each(recorded)('%s tells each request to a model as the model got it', (name) => {
    const scenario = name.replace(/^(music-composer|triage)\..*$/, '$1')
    const requests = jsonOfTrace(`${scenario}.model-requests.json`) as never[]
    const truths = requests.map(asked[name]!)
    const seen = requestsIn(runOfTrace(name).events)
    // Mastra shortens every request after an agent's first: that is said, and no items are told.
    expect(seen).toHaveLength(truths.length)
    const shortened = name === 'mastra-subagent' ? [2, 3] : []
    expect(seen.map(({ items }) => items)).toEqual(
      truths.map(({ items }, index) => (shortened.includes(index) ? [] : substance(items))),
    )
    expect(seen.map(({ instructions }) => instructions)).toEqual(
      truths.map(({ instructions }) => instructions),
    )
  })

  it.each(inBoth)('%s gives the same run from both encodings', (name) => {
    expect(importRuns(spansOfTrace(name, 'protobuf'))).toEqual(importRuns(spansOfTrace(name, 'json')))
  })

  it.each(recorded)('%s shows what the sender had before each handoff', (name) => {
    for (const { sent, call } of handoffsIn(runOfTrace(name).events)) {
      const before = substance(sent!.items_before)
      if (name === 'mastra-subagent' && sent!.mode === 'return') {
        expect(sent!.items_before).toBeUndefined()
        continue
      }
      expect(before.length).toBeGreaterThan(1)
      // The call that handed over is the last thing that the sender's model wrote; what came back from a helper is words.
      if (sent!.mode !== 'return') expect(before.at(-1)).toContain(call)
    }
  })
})

function requestsIn(events: readonly RunEvent[]): { items: string[]; instructions: string }[] {
  const spans = new Set<string>()
  return events.flatMap((event) => {
    if (!isKind(event, 'model.input') && !isKind(event, 'handoff.received')) return []
    const span = event.trace?.span ?? ''
    if (spans.has(span)) return []
    spans.add(span)
    return [{ items: substance(event.items), instructions: textOfContent(event.instructions) }]
  })
}
