import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  findingsOf,
  item,
  judge,
  message,
  operation,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

const COSTS = { months: [3, 4] }
const load = (op: string, agent: string, fields: object = {}) =>
  read(agent, op, 'load_costs', COSTS, 'settled', {
    call: `call-${op}`,
    result: '812 for March, 655 for April',
    ...fields,
  })
const user = item.user('u1', 'compare March and April')
const call = item.call('i1', 'call-op-1', 'load_costs', COSTS, { op: 'op-1' })
const result = item.result('i2', 'call-op-1', '812 for March, 655 for April', { op: 'op-1' })
const history = [user, call, result]

describe('op-result-missing', () => {
  const check = 'op-result-missing'
  const handed = (items: unknown[], fields: object = {}, record?: object, more: Entry[] = []) =>
    findingsOf(
      judge(
        start(),
        load('op-1', 'reports'),
        sent('h1', 'reports', 'writer', { items_before: history, ...fields }),
        received('h1', 'writer', { items, ...(record === undefined ? {} : { record }) }),
        ...more,
      ),
      check,
    )

  it('is raised when call and result, or only the result, do not cross', () => {
    expect(handed([user])).toHaveLength(1)
    expect(handed([user, call])).toHaveLength(1)
    expect(handed([user, call, { ...result, content: '' }])).toHaveLength(1)
  })
  it('knows the items of other runtimes', () => {
    const chat = [
      { role: 'user', content: 'compare' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call-op-1', function: { name: 'load_costs', arguments: '{"months":[3,4]}' } }],
      },
      { role: 'tool', tool_call_id: 'call-op-1', content: '812 for March, 655 for April' },
    ]
    expect(handed([chat[0]], { items_before: chat })).toHaveLength(1)
    expect(handed(chat, { items_before: chat })).toEqual([])
  })
  it('ties call and operation by tool and arguments where the log gives neither id', () => {
    const anonymous = [
      { type: 'function_call', call_id: 'z', name: 'load_costs', arguments: '{"months":[3,4]}' },
    ]
    const answered = { type: 'function_call_output', call_id: 'z', output: '812 for March, 655 for April' }
    const over = (items: unknown[]) =>
      findingsOf(
        judge(
          load('op-1', 'reports', { call: undefined }),
          sent('h1', 'reports', 'writer', { items_before: [user, ...anonymous, answered] }),
          received('h1', 'writer', { items }),
        ),
        check,
      )
    expect(over([user])).toHaveLength(1)
    expect(over([user, ...anonymous, answered])).toEqual([])
  })
  it.each<[string, unknown[], object?]>([
    ['as the item', history],
    [
      'in the words of the sender',
      [user, item.agent('a1', 'reports', 'It was 812 for March, 655 for April.')],
    ],
    ['in a transcript', [item.user('x', `<history>${JSON.stringify(result)}</history>`)]],
    [
      'under a summary',
      [user, { id: 's', type: 'summary', covers: ['i1', 'i2'], content: 'costs were loaded' }],
    ],
    [
      'under a summary that names nothing',
      [user, { id: 's', type: 'summary', content: 'costs were loaded' }],
    ],
    ['as a completed effect', [user], { completed_effects: [{ op: 'op-1', result: '812/655' }] }],
    ['as evidence', [user], { evidence: [{ ref: 'op-1', summary: 'costs' }] }],
  ])('is not raised when it crossed %s', (_, items, record) => {
    expect(handed(items, {}, record)).toEqual([])
  })
  it.each([
    { filter: 'remove-tools' },
    { filter: 'removeAllTools' },
    { history: 'none' },
    { history: 'last-pair', allows: ['u1'] },
    { allows: ['user'] },
  ])('is not raised when %o removes it', (policy) => {
    expect(handed([user], { policy })).toEqual([])
  })
  it('is raised when the declared policy keeps results', () => {
    expect(handed([user], { policy: { history: 'full' } })).toHaveLength(1)
    expect(handed([user], { policy: { filter: 'hide-transfer-messages' } })).toHaveLength(1)
  })
  it('says what it cannot judge when nobody knows the filter', () => {
    const run = judge(
      load('op-1', 'reports'),
      sent('h1', 'reports', 'writer', { items_before: history, policy: { filter: 'acme-v2' } }),
      received('h1', 'writer', { items: [user] }),
    )
    expect(findingsOf(run, check)).toEqual([])
    expect(run.notJudged.some((gap) => gap.check === check && gap.handoff === 'h1')).toBe(true)
  })
  it('is not raised for a brief or a report, unless the call crossed, is made again, or nothing of a report did', () => {
    const brief = item.user('b1', 'write it up')
    const delegated = { mode: 'delegate', brief: 'write it up' }
    expect(handed([brief], delegated)).toEqual([])
    const report = item.agent('a9', 'reports', 'Chapter two says all that there is to say of it.')
    expect(handed([brief, report], { mode: 'return' })).toEqual([])
    expect(handed([brief], { mode: 'return' })).toHaveLength(1)
    expect(handed([brief, call], delegated)).toHaveLength(1)
    expect(handed([brief], delegated, undefined, [load('op-2', 'writer')])).toHaveLength(1)
  })
  it('is raised in any mode when the record had it and lost it', () => {
    const record = { completed_effects: [{ op: 'op-1', result: '812' }] }
    const lost = { mode: 'return', record, items_before: [] }
    expect(handed([], lost, {})).toHaveLength(1)
    expect(handed([], lost, record)).toEqual([])
  })
  it('is an error for a write that settled before a resume, and names it', () => {
    const resumed = (items: unknown[], fields: object = {}, between: Entry[] = []) =>
      findingsOf(
        judge(
          operation('tuner', 'op-1', 'shift_dial', { by: 10 }, 'settled', {
            key: 'd',
            call: 'c1',
            result: 'at 110',
            ...fields,
          }),
          ...between,
          sent('h1', 'tuner', 'tuner', { mode: 'resume', items_before: [] }),
          received('h1', 'tuner', { items }),
        ),
        check,
      )
    const crash: Entry = { kind: 'process.crash', agent: 'tuner' }
    const wish = item.user('u1', 'raise it by 10')
    expect(resumed([wish], {}, [crash])[0]).toMatchObject({ severity: 'error', subject: { id: 'op-1' } })
    expect(resumed([wish])).toHaveLength(1)
    expect(resumed([wish, item.call('i1', 'c1', 'shift_dial', { by: 10 })])).toHaveLength(1)
    expect(resumed([wish, item.agent('a', 'tuner', 'It is at 110 now.')], {}, [crash])).toEqual([])
    expect(resumed([wish], { effect: 'read' })).toEqual([])
  })
  it('is not raised towards the agent that made the call itself', () => {
    const run = judge(
      load('op-1', 'reports'),
      ...crossed('h1', 'reports', 'writer', history),
      sent('h2', 'writer', 'reports', { items_before: history }),
      received('h2', 'reports', { items: [user] }),
    )
    expect(findingsOf(run, check)).toEqual([])
  })
})

describe('redundant-call', () => {
  const check = 'redundant-call'
  const repeated = (second: Entry, ...between: Entry[]) =>
    findingsOf(
      judge(
        start(),
        load('op-1', 'reports'),
        ...crossed('h1', 'reports', 'writer', history),
        ...between,
        second,
      ),
      check,
    )

  it('is raised whether or not the result crossed', () => {
    expect(repeated(load('op-2', 'writer'))).toHaveLength(1)
    const dropped = judge(
      load('op-1', 'reports'),
      sent('h1', 'reports', 'writer', { items_before: history }),
      received('h1', 'writer', { items: [user] }),
      load('op-2', 'writer', { args: { months: [3, 4] } }),
    )
    expect(findingsOf(dropped, check)).toHaveLength(1)
  })
  it('is raised for a result that the sender had from another', () => {
    const run = judge(
      load('op-1', 'reports'),
      ...crossed('h1', 'reports', 'desk', history),
      ...crossed('h2', 'desk', 'writer', history),
      load('op-2', 'writer'),
    )
    expect(findingsOf(run, check)).toHaveLength(1)
  })
  it('is only noted after a delegation', () => {
    const run = judge(
      load('op-1', 'reports'),
      ...crossed('h1', 'reports', 'writer', [item.user('b', 'write')], { mode: 'delegate', brief: 'write' }),
      load('op-2', 'writer'),
    )
    expect(findingsOf(run, check)[0]?.severity).toBe('info')
  })
  it.each<[string, Entry[], object?]>([
    ['the user spoke', [message('user', 'check again')]],
    ['the receiver wrote something', [operation('writer', 'op-5', 'book', { n: 1 }, 'settled')]],
    ['two hours passed', [], { at: '2030-05-06T11:00:00Z' }],
    ['the answer was another one', [], { result: '812 and 700' }],
    ['it asked for something else', [], { args: { months: [5] } }],
  ])('is not raised when %s', (_, between, fields = {}) => {
    expect(repeated(load('op-2', 'writer', fields), ...between)).toEqual([])
  })
  it('is not raised for what an agent reads anew for itself, nor for polling', () => {
    const reads = [load('op-1', 'reports'), load('op-2', 'reports')]
    expect(findingsOf(judge(...reads), check)).toEqual([])
    expect(
      findingsOf(
        judge(...reads, ...crossed('h1', 'reports', 'writer', history), load('op-3', 'writer')),
        check,
      ),
    ).toEqual([])
    const back = [
      ...crossed('h1', 'reports', 'writer', history),
      ...crossed('h2', 'writer', 'reports', history),
    ]
    expect(findingsOf(judge(load('op-1', 'reports'), ...back, load('op-2', 'reports')), check)).toEqual([])
  })
  it('is not raised when a write concerned what was read', () => {
    const run = judge(
      load('op-1', 'reports'),
      operation('reports', 'op-4', 'correct_costs', { month: 3 }, 'settled', { key: 'c' }),
      ...crossed('h1', 'reports', 'writer', history, { record: { completed_effects: [{ key: 'c' }] } }),
      load('op-2', 'writer'),
    )
    expect(findingsOf(run, check)).toEqual([])
  })
})
