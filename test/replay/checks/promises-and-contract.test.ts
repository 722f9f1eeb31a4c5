import { describe, expect, it } from 'vitest'
import {
  type Entry,
  end,
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

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length
const PROMISE = 'Ich melde mich, sobald die Urkunde da ist.'
const promise = (state = 'open', fields: object = {}): Entry => ({
  kind: 'commitment',
  id: 'cm-1',
  agent: 'host',
  text: PROMISE,
  state,
  ...fields,
})
const user = item.user('u1', 'Such die Urkunde.')
const hand = (mode: string, after: object = {}, before: object = {}) => [
  sent('h1', 'host', 'night', { mode, items_before: [user], ...before }),
  received('h1', 'night', { items: [user], ...after }),
]

describe('commitment-dropped', () => {
  it.each(['transfer', 'escalate', 'resume', 'return'])(
    'is raised when control passes without it (%s)',
    (mode) => {
      const [finding] = findingsOf(judge(start(), promise(), ...hand(mode), end()), 'commitment-dropped')
      expect(finding).toMatchObject({ handoff: 'h1', subject: { kind: 'commitment', id: 'cm-1' } })
    },
  )
  it('knows a promise that only a message or the sender’s record makes', () => {
    const said = message('assistant', PROMISE, { agent: 'host', commitment: 'cm-1' })
    expect(count('commitment-dropped', start(), said, ...hand('transfer'), end())).toBe(1)
    const stated = { record: { commitments: [{ id: 'cm-1', text: PROMISE }] } }
    expect(count('commitment-dropped', start(), ...hand('transfer', {}, stated), end())).toBe(1)
    expect(count('commitment-dropped', start(), ...hand('transfer', stated, stated), end())).toBe(0)
  })
  it.each([
    ['the record', { record: { commitments: [{ id: 'cm-1' }] } }],
    ['the record, as text', { record: { commitments: [PROMISE] } }],
    ['an item that names it', { items: [item.agent('a1', 'host', 'later', { commitment: 'cm-1' })] }],
    ['the words', { items: [item.agent('a1', 'host', `Gut. ${PROMISE}`)] }],
  ])('is silent when it crossed in %s', (_, after) => {
    expect(count('commitment-dropped', start(), promise(), ...hand('transfer', after), end())).toBe(0)
  })
  it('is silent when it is kept, before the end of the run, and while its holder keeps the task', () => {
    expect(
      count('commitment-dropped', start(), promise(), ...hand('transfer'), promise('closed'), end()),
    ).toBe(0)
    expect(count('commitment-dropped', start(), promise(), promise('kept'), ...hand('transfer'), end())).toBe(
      0,
    )
    const live = judge(start(), promise(), ...hand('transfer'))
    expect(findingsOf(live, 'commitment-dropped')).toEqual([])
    expect(live.notJudged).toContainEqual(
      expect.objectContaining({ check: 'commitment-dropped', handoff: 'h1' }),
    )
    expect(count('commitment-dropped', start(), promise(), ...hand('notify'), end())).toBe(0)
    const back = [sent('h2', 'night', 'host'), received('h2', 'host')]
    expect(count('commitment-dropped', start(), promise(), ...hand('transfer'), ...back, end())).toBe(0)
    expect(count('commitment-dropped', start(), promise(), end())).toBe(0)
  })
  const digging = [
    sent('h1', 'host', 'digger', { mode: 'delegate' }),
    received('h1', 'digger'),
    promise(),
    read('digger', 'op-1', 'search', { plot: 9 }),
  ]
  const report = sent('h2', 'digger', 'host', { mode: 'return' })
  it('is raised when the result that it waits for never arrives, or arrives and nothing is said', () => {
    expect(count('commitment-dropped', start(), ...digging, report, end())).toBe(1)
    expect(count('commitment-dropped', start(), ...digging, end())).toBe(1)
    expect(count('commitment-dropped', start(), ...digging, report, received('h2', 'host'), end())).toBe(1)
  })
  it('is silent when the result arrives and the holder goes on', () => {
    const told = message('assistant', 'Da ist sie.', { agent: 'host', ends: 'cm-1' })
    expect(
      count('commitment-dropped', start(), ...digging, report, received('h2', 'host'), told, end()),
    ).toBe(0)
    const spoke = message('assistant', 'Da ist sie.', { agent: 'host' })
    expect(
      count('commitment-dropped', start(), ...digging, report, received('h2', 'host'), spoke, end()),
    ).toBe(0)
  })
})

describe('commitment-stale', () => {
  const named = item.agent('a1', 'host', 'Ich melde mich.', { commitment: 'cm-1' })
  const note = { id: 'n1', type: 'note', content: 'erledigt', ends: 'cm-1' }
  it.each([
    ['an item', { items: [user, named] }],
    ['the record', { record: { commitments: [{ id: 'cm-1', text: PROMISE }] } }],
    ['the record, as text', { record: { commitments: [PROMISE] } }],
    ['the instructions', { instructions: `Halte dich daran: ${PROMISE}` }],
  ])('is raised when it still stands in %s', (_, after) => {
    expect(
      count('commitment-stale', start(), promise(), promise('closed'), ...hand('transfer', after), end()),
    ).toBe(1)
  })
  it('is raised when the filter keeps the promise and drops the note of its end', () => {
    const before = { items_before: [user, named, note] }
    expect(
      count(
        'commitment-stale',
        start(),
        promise(),
        ...hand('transfer', { items: [user, named] }, before),
        end(),
      ),
    ).toBe(1)
    expect(
      count(
        'commitment-stale',
        start(),
        promise(),
        ...hand('transfer', { items: [user, named, note] }, before),
        end(),
      ),
    ).toBe(0)
  })
  it('is silent for promises that stand, that ended with a note, and for old words', () => {
    expect(
      count('commitment-stale', start(), promise(), ...hand('transfer', { items: [user, named] }), end()),
    ).toBe(0)
    const closed = [start(), promise(), promise('closed')]
    expect(
      count('commitment-stale', ...closed, ...hand('transfer', { items: [user, named, note] }), end()),
    ).toBe(0)
    const record = { commitments: [{ id: 'cm-1', state: 'closed' }] }
    expect(count('commitment-stale', ...closed, ...hand('transfer', { record }), end())).toBe(0)
    expect(
      count(
        'commitment-stale',
        ...closed,
        ...hand('transfer', { items: [item.agent('a1', 'host', PROMISE)] }),
        end(),
      ),
    ).toBe(0)
  })
})

const CONTRACT = {
  intent: 'Rechnung',
  constraints: [],
  status: { done: ['reserve'], pending: [] },
  evidence: [{ ref: 'op-1', summary: 'reserved' }],
  next_action: 'invoice',
  stop_condition: 'paid',
}

describe('contract-incomplete', () => {
  const gaps = (
    record: object | undefined,
    before: object | undefined = record,
    mode = 'transfer',
    ...later: Entry[]
  ) =>
    findingsOf(
      judge(
        start(),
        read('host', 'op-1', 'look', { n: 7 }),
        ...hand(mode, record === undefined ? {} : { record }, before === undefined ? {} : { record: before }),
        ...later,
        end(),
      ),
      'contract-incomplete',
    )
  const { stop_condition: _, ...open } = CONTRACT
  it('is raised for what the receiver lacks, and says what the sender had', () => {
    expect(gaps(open)).toMatchObject([{ severity: 'info' }])
    const [finding] = gaps({ ...CONTRACT, next_action: ' ' }, CONTRACT)
    expect(finding?.message).toContain('next action; the sender had next action')
    expect(gaps(undefined, CONTRACT)).toHaveLength(1)
  })
  it('is a warning when the receiver then redoes settled work', () => {
    expect(gaps(open, open, 'transfer', read('night', 'op-2', 'look', { n: 7 }))).toMatchObject([
      { severity: 'warning' },
    ])
    expect(gaps(open, open, 'transfer', read('night', 'op-2', 'look', { n: 8 }))).toMatchObject([
      { severity: 'info' },
    ])
  })
  it('is silent for whole contracts, empty lists, runtimes without contracts, and reports', () => {
    expect(gaps(CONTRACT)).toEqual([])
    expect(gaps({ ...CONTRACT, evidence: [] })).toEqual([])
    expect(gaps(undefined)).toEqual([])
    expect(gaps({ open_operations: [], constraints: [{ id: 'k1' }], origin: 'user' })).toEqual([])
    expect(gaps(open, open, 'return')).toEqual([])
  })
})

describe('evidence-missing', () => {
  const work = operation('host', 'op-1', 'reserve', { n: 7 }, 'settled', {
    key: 'k1',
    call: 'c1',
    result: 'reservation 8841',
  })
  const call = item.call('i1', 'c1', 'reserve', { n: 7 }, { op: 'op-1' })
  const result = item.result('i2', 'c1', 'reservation 8841', { op: 'op-1' })
  const claim = item.agent('a1', 'host', 'Alles ist reserviert.', { rests_on: ['op-1'] })
  const missing = (after: object, before: object, mode = 'transfer') =>
    count('evidence-missing', start(), work, ...hand(mode, after, before), end())
  it('is raised for lost references, a bare status and a bare statement', () => {
    expect(missing({ record: { ...CONTRACT, evidence: [] } }, { record: CONTRACT })).toBe(1)
    const status = { record: { status: { done: ['reserved'] } } }
    expect(missing({ ...status, items: [user] }, { ...status, items_before: [user, call, result] })).toBe(1)
    expect(missing({ items: [user, claim] }, { items_before: [user, call, result, claim] })).toBe(1)
  })
  it('does not take a reference for a longer one', () => {
    const refs = (before: string, after: object) =>
      missing(after, { record: { ...CONTRACT, evidence: [{ ref: before }] } })
    const evidence = (ref: string) => ({ record: { ...CONTRACT, evidence: [{ ref, summary: 'prices' }] } })
    expect(refs('doc-7', evidence('doc-77'))).toBe(1)
    expect(refs('doc-7', evidence('doc-7'))).toBe(0)
    const elsewhere = (instructions: string) => ({ ...evidence('memo 1'), instructions })
    expect(refs('Doc-7', elsewhere('See doc-7.'))).toBe(0)
    expect(refs('文書7', elsewhere('見積は文書7による。'))).toBe(0)
  })
  it('knows evidence that is made of fields, in whatever order', () => {
    const record = { ...CONTRACT, evidence: [{ call: 'c1', rows: [8841, 8842] }] }
    const lost = (evidence: unknown[]) => missing({ record: { ...CONTRACT, evidence } }, { record })
    expect(lost([{ call: 'c1', rows: [8841, 8842] }])).toBe(0)
    expect(lost(['read it', { rows: [8841, 8842], call: 'c1' }])).toBe(0)
    expect(lost([{ call: 'c1', rows: [8841] }])).toBe(1)
  })
  it('is silent with the result, a reference, its text, or a filter that removes it', () => {
    expect(missing({ record: CONTRACT }, { record: CONTRACT })).toBe(0)
    const status = { status: { done: ['reserved'] } }
    expect(missing({ record: { ...status, completed_effects: [{ key: 'k1' }] } }, { record: status })).toBe(0)
    expect(
      missing({ items: [user, call, result, claim] }, { items_before: [user, call, result, claim] }),
    ).toBe(0)
    const before = { items_before: [user, call, result, claim] }
    expect(missing({ items: [user, claim], record: { evidence: [{ ref: 'op-1' }] } }, before)).toBe(0)
    expect(
      missing({ items: [user, claim, item.agent('a2', 'host', 'It is reservation 8841.')] }, before),
    ).toBe(0)
    expect(missing({ items: [user, claim] }, { ...before, policy: { filter: 'remove-tools' } })).toBe(0)
    expect(missing({ items: [claim] }, before, 'return')).toBe(0)
    const other = item.agent('a2', 'host', 'Der Vorgang ist angelegt.')
    expect(missing({ items: [other] }, before)).toBe(0)
  })
})
