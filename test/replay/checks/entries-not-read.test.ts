import { describe, expect, it } from 'vitest'
import { shapeFields } from '../../../instrumentation/shape.ts'
import type { JsonObject } from '../../../model/json.ts'
import { analyse } from '../../../replay/analyse.ts'
import { type Entry, end, findingsOf, item, judge, log, message, start } from '../run-builder.ts'
import { approval, call, hand, user } from './refund-story.ts'

/* An entry in a form that nobody knows may hold whatever is looked for: it proves nothing missing. */

const unknown = { event: 'said', body: { words: ['Ein Anruf kam dazwischen.'] } }
const known = item.agent('a9', 'desk', 'Ein Anruf kam dazwischen.')
const rule: Entry = { kind: 'constraint', id: 'k1', text: 'no refund before the hearing is over' }
const paid = call('settled', { result: 'refund 8841' })
const pair = [item.call('i1', 'c-op-1', 'refund_fee', {}), item.result('i2', 'c-op-1', 'refund 8841')]
const file = { id: 'f1', type: 'file', name: 'bill.pdf', sha: 'ab12' }
const asked = message('user', user.content, { agent: 'desk' })

/** What is missing at the receiver, which got these items and one more. */
const cases: [check: string, run: (more: object) => Entry[]][] = [
  [
    'user-message-dropped',
    (more) => [asked, ...hand('transfer', { items: [more] }, { items_before: [user, known] })],
  ],
  [
    'brief-dropped',
    (more) => hand('delegate', { items: [user, more] }, { brief: 'Find out who charged it' }),
  ],
  ['constraint-dropped', (more) => [rule, ...hand('transfer', { items: [user, more] })]],
  [
    'op-result-missing',
    (more) => [paid, ...hand('transfer', { items: [user, more] }, { items_before: [user, ...pair] })],
  ],
  [
    'item-orphaned',
    (more) => [
      paid,
      ...hand('transfer', { items: [user, pair[0], more] }, { items_before: [user, ...pair] }),
    ],
  ],
  ['attachment-dropped', (more) => hand('transfer', { items: [user, more] }, { items_before: [user, file] })],
  [
    'approval-pending-lost',
    (more) => [call('proposed'), approval('pending'), ...hand('transfer', { items: [user, more] })],
  ],
  [
    'approval-decision-lost',
    (more) => [
      ...[call('proposed'), approval('pending')],
      approval('rejected', { by: 'u-9', reason: 'not before the hearing', delivered_to: 'desk' }),
      ...hand('return', { items: [more] }, { items_before: [] }),
    ],
  ],
]

describe('an entry that is not read', () => {
  it.each(cases)('leaves %s not judged, and one that is read does not', (check, run) => {
    const seen = judge(start(), ...run(known), end())
    expect(findingsOf(seen, check)).toHaveLength(1)
    const unseen = judge(start(), ...run(unknown), end())
    expect(findingsOf(unseen, check)).toEqual([])
    const reason = expect.stringContaining('is in a form that is not read')
    expect(unseen.notJudged).toContainEqual(expect.objectContaining({ check, handoff: 'h1', reason }))
  })

  it.each(cases)('leaves %s not judged also where only its size is in the log', (check, run) => {
    const shaped = log([start(), ...run(unknown), end()]).map(({ run: id, seq, at, kind, ...fields }) => ({
      ...{ run: id, seq, at, kind },
      ...shapeFields(fields as JsonObject, {}),
    }))
    expect(findingsOf(analyse(shaped), check)).toEqual([])
  })

  it('leaves what it does not hide to be judged', () => {
    const before = { items_before: [user, ...pair], policy: { filter: 'remove-tools' } }
    const run = judge(start(), paid, ...hand('transfer', { items: [user, ...pair, unknown] }, before), end())
    expect(findingsOf(run, 'filter-not-applied')).toHaveLength(1)
  })

  it('holds what its words say', () => {
    const said = { event: 'said', body: { words: [user.content] } }
    const run = judge(start(), asked, ...hand('transfer', { items: [said] }, { items_before: [said] }), end())
    expect(run.findings).toEqual([])
    expect(run.notJudged.filter(({ check }) => check === 'user-message-dropped')).toEqual([])
  })

  it('is no empty payload', () => {
    const empty = { role: 'assistant', content: '' }
    const crossing = (entry: object) =>
      findingsOf(judge(start(), ...hand('transfer', { items: [entry] }), end()), 'payload-empty')
    expect(crossing(empty)).toHaveLength(1)
    expect(crossing(unknown)).toEqual([])
  })
})
