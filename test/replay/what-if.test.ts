import { describe, expect, it } from 'vitest'
import { readItems } from '../../model/items.ts'
import { bytesOf } from '../../model/sizes.ts'
import { filterInput, readOutput } from '../../replay/what-if/filter.ts'
import { fromLangGraphUpdate } from '../../replay/what-if/langgraph.ts'
import { fromOpenAIInputFilter } from '../../replay/what-if/openai.ts'
import { STYLES, type StyleName } from '../../replay/what-if/styles.ts'
import { type TrialOptions, whatIf } from '../../replay/what-if/what-if.ts'
import { type Entry, end, item, judge, operation, received, sent, start } from './run-builder.ts'

const ITEMS = [
  item.user('u1', 'Reserve 40 of A-7, then send the invoice.'),
  item.call('c1', 'call-1', 'reserve_stock', { sku: 'A-7', count: 40 }, { op: 'op-1' }),
  item.result('r1', 'call-1', 'no answer', { op: 'op-1' }),
  item.agent('a1', 'orders', 'No answer yet. Billing goes on.'),
]

/** An order whose reservation is in doubt at the handoff; the receiver got what is given. */
function order(receipt: object, more: Entry[] = []) {
  return judge(
    start(),
    { kind: 'constraint', id: 'c-1', text: 'Invoice only what is reserved.', state: 'active' },
    operation('orders', 'op-1', 'reserve_stock', { sku: 'A-7', count: 40 }, 'sent', {
      key: 'k-4711-1',
      call: 'call-1',
    }),
    operation('orders', 'op-1', 'reserve_stock', { sku: 'A-7', count: 40 }, 'unknown', {
      key: 'k-4711-1',
      call: 'call-1',
    }),
    sent('h1', 'orders', 'billing', { items_before: ITEMS, reason: 'bill the order' }),
    received('h1', 'billing', receipt),
    ...more,
    end(),
  )
}

function tried(style: StyleName, receipt: object = { items: [ITEMS[0]] }) {
  const analysis = order(receipt)
  const handoff = analysis.run.handoffs[0]!
  const { input } = filterInput(analysis.run, handoff)
  const { payload } = readOutput(STYLES[style](input!), handoff.receipts[0]!.event.record)
  return { trial: whatIf(analysis, handoff, payload!), payload: payload!, analysis }
}

const ids = (findings: readonly { check: string }[]) => findings.map(({ check }) => check)

describe('what if', () => {
  it('the record had crossed: the key and the rule are there, and nothing else changes', () => {
    const { trial, analysis } = tried('record')
    expect(ids(analysis.findings)).toContain('op-in-doubt-key-missing')
    expect(ids(trial.solved)).toEqual(
      expect.arrayContaining(['op-in-doubt-key-missing', 'constraint-dropped']),
    )
    expect(ids(trial.fresh)).not.toContain('op-in-doubt-key-missing')
    expect(trial.pairs.filter(({ subject }) => subject.startsWith('constraint'))).toEqual([
      { subject: 'constraint c-1', before: 'absent', after: 'carried' },
    ])
    expect(trial.pairs).toContainEqual({
      subject: 'operation op-1 reserve_stock',
      before: 'absent',
      after: 'carried',
    })
  })

  it('a good payload had been cut: what it kept is new', () => {
    const record = {
      open_operations: [
        {
          op: 'op-1',
          tool: 'reserve_stock',
          args: { sku: 'A-7', count: 40 },
          key: 'k-4711-1',
          state: 'unknown',
        },
      ],
    }
    const analysis = order({ items: ITEMS, record })
    expect(ids(analysis.findings)).not.toContain('op-in-doubt-key-missing')
    const handoff = analysis.run.handoffs[0]!
    const { payload } = readOutput({ items: [ITEMS[0]], record: undefined }, record)
    const trial = whatIf(analysis, handoff, payload!)
    expect(ids(trial.fresh)).toContain('op-in-doubt-key-missing')
    expect(trial.bytes).toEqual({ before: bytesOf(ITEMS) + bytesOf(record), after: bytesOf([ITEMS[0]]) })
  })

  it('the same had crossed: nothing is solved, nothing is new', () => {
    const { trial, analysis } = tried('full', { items: ITEMS })
    expect([trial.solved, trial.fresh]).toEqual([[], []])
    expect(trial.unchanged).toEqual(analysis.findings)
    expect(trial.bytes.before).toBe(trial.bytes.after)
  })

  it('judges both sides under the settings and with the counter of each trial', () => {
    const analysis = order({ items: [ITEMS[0]] })
    const [handoff] = analysis.run.handoffs
    const { payload } = readOutput(STYLES.record(filterInput(analysis.run, handoff!).input!), undefined)
    const isSolved = (options?: TrialOptions) =>
      ids(whatIf(analysis, handoff!, payload!, options).solved).includes('op-in-doubt-key-missing')
    expect(isSolved()).toBe(true)
    expect(isSolved({ settings: { severities: { 'op-in-doubt-key-missing': 'off' } } })).toBe(false)
    expect(isSolved({})).toBe(true)
  })

  it('leaves the analysis that it starts from as it was', () => {
    const analysis = order({ items: ITEMS })
    const before = JSON.stringify([analysis.run.events, analysis.findings])
    for (const style of Object.keys(STYLES) as StyleName[]) {
      const { input } = filterInput(analysis.run, analysis.run.handoffs[0]!)
      whatIf(analysis, analysis.run.handoffs[0]!, readOutput(STYLES[style](input!), undefined).payload!)
    }
    expect(JSON.stringify([analysis.run.events, analysis.findings])).toBe(before)
  })
})

describe('the built-in styles', () => {
  it('keep what their name says, verbatim', () => {
    expect(tried('full').payload.items).toEqual(ITEMS)
    expect(tried('last-pair').payload.items).toEqual([ITEMS[3]])
    expect(tried('no-tools').payload.items).toEqual([ITEMS[0], ITEMS[3]])
    expect(tried('record').payload.items).toEqual([ITEMS[0]])
    const text = (style: StyleName) =>
      readItems(tried(style).payload.items)
        .map((one) => one.text)
        .join()
    expect(text('brief')).toBe('bill the order\nThe user asked: Reserve 40 of A-7, then send the invoice.')
    for (const words of ['Reserve 40', 'no answer', 'reserve_stock', 'Billing goes on.'])
      expect(text('nested')).toContain(words)
  })

  it('make the record from the operations log', () => {
    expect(tried('record').payload.record).toMatchObject({
      origin: { kind: 'human', id: 'u-9' },
      constraints: [{ id: 'c-1', text: 'Invoice only what is reserved.' }],
      open_operations: [
        {
          op: 'op-1',
          tool: 'reserve_stock',
          key: 'k-4711-1',
          state: 'unknown',
          args: { sku: 'A-7', count: 40 },
        },
      ],
      completed_effects: [],
      correlation_id: 'run-1',
    })
  })
})

describe('a filter', () => {
  it('is not tried where a side is missing, and it is said why', () => {
    const half = judge(start(), sent('h1', 'a', 'b', { items_before: undefined }), received('h1', 'b'), end())
    expect(filterInput(half.run, half.run.handoffs[0]!)).toEqual({
      reason: "the sender's items were not captured",
    })
    const lone = judge(start(), sent('h1', 'a', 'b'), end())
    expect(filterInput(lone.run, lone.run.handoffs[0]!)).toEqual({ reason: 'nobody received it' })
  })

  it.each([
    [null, 'null'],
    [undefined, 'nothing'],
    ['text', 'a string'],
    [7, 'a number'],
    [{}, 'an object without items'],
    [{ items: 'x' }, 'an object without items'],
    [{ items: [], record: [] }, 'a list'],
  ])('that returns %j is told what it returned', (output, words) => {
    expect(readOutput(output, {})).toEqual({ reason: expect.stringContaining(words) })
  })

  it('of @openai/agents is tried on the captured items', async () => {
    const { removeAllTools } = await import('@openai/agents-core/extensions')
    const { RunMessageOutputItem } = await import('@openai/agents-core')
    const items = [
      { role: 'user', content: 'Reserve it.' },
      { type: 'function_call', callId: 'c1', name: 'reserve', arguments: '{}', status: 'completed' },
      { type: 'function_call_result', callId: 'c1', name: 'reserve', output: 'ok', status: 'completed' },
    ]
    const input = { items, context: { run: 'r', handoff: 'h', mode: 'transfer', known: {} } }
    expect(await fromOpenAIInputFilter(removeAllTools)(input)).toEqual([items[0]])
    expect(RunMessageOutputItem).toBeDefined()
    const adds = fromOpenAIInputFilter(({ inputHistory }) => ({
      inputHistory,
      newItems: [{ rawItem: { role: 'assistant', content: 'x' } }],
    }))
    expect(await adds(input)).toEqual([...items, { role: 'assistant', content: 'x' }])
    expect(await fromOpenAIInputFilter(() => ({ inputHistory: 'short' }))(input)).toEqual([
      { role: 'user', content: 'short' },
    ])
  })

  it('LangGraph: a state update does what the reducer of the framework does with it', async () => {
    const [{ AIMessage, HumanMessage, RemoveMessage }, { Command, messagesStateReducer }] = await Promise.all(
      [import('@langchain/core/messages'), import('@langchain/langgraph')],
    )
    const items = [
      new HumanMessage({ id: 'u1', content: 'Reserve 40.' }),
      new AIMessage({ id: 'a1', content: 'No answer yet.' }),
      new AIMessage({ id: 'a2', content: 'Billing goes on.' }),
    ]
    const input = { items, context: { run: 'r', handoff: 'h', mode: 'transfer', known: {} } }
    const updates = [
      [new AIMessage({ id: 'a3', content: 'added' })],
      [new AIMessage({ id: 'a1', content: 'in its place' }), new RemoveMessage({ id: 'a2' })],
      [new RemoveMessage({ id: '__remove_all__' }), new HumanMessage({ id: 'b1', content: 'Bill it.' })],
    ]
    const told = (messages: unknown[]) =>
      (messages as InstanceType<typeof AIMessage>[]).map(({ id, content }) => [id, content])
    for (const messages of updates) {
      const wanted = told(messagesStateReducer(items, messages))
      const command = () => new Command({ goto: 'billing', update: { messages } })
      const pairs = () => new Command({ update: [['messages', messages]] })
      for (const form of [command, pairs, () => ({ messages })])
        expect(told((await fromLangGraphUpdate(form)(input)) as unknown[])).toEqual(wanted)
    }
    expect(await fromLangGraphUpdate(() => ({ active: 'billing' }))(input)).toEqual(items)
  })

  it('LangGraph: messages as a log holds them are found by their ids', async () => {
    const stored = (id: string, content: string) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs: { id, content },
    })
    const items = [stored('a1', 'one'), stored('a2', 'two')]
    const input = { items, context: { run: 'r', handoff: 'h', mode: 'transfer', known: {} } }
    const removes = fromLangGraphUpdate(() => ({ update: { messages: [{ type: 'remove', id: 'a1' }] } }))
    expect(await removes(input)).toEqual([items[1]])
  })
})
