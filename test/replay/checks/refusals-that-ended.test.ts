import { describe, expect, it } from 'vitest'
import {
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  message,
  operation,
  received,
  sent,
  start,
} from '../run-builder.ts'

/* A ban that was lifted before the handoff, and what still crosses of it. */

const FREEZE = 'freeze: no deploys'
const rule = (fields: object = {}): Entry => ({
  kind: 'constraint',
  id: 'freeze-1',
  text: FREEZE,
  check: { forbid: { tool: 'deploy' } },
  ...fields,
})
const revoked: Entry = { kind: 'constraint', id: 'freeze-1', text: FREEZE, state: 'revoked' }
const lifted = [rule(), revoked]
const user = item.user('u1', 'Deploy n7.')
const refusing = (text: string) => ({
  id: 'a1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'refusal', refusal: text }],
})
const refusal = refusing('I cannot deploy: the freeze forbids it.')

const stale = (entries: Entry[], items: unknown[], record: object = {}, receipt: object = {}) =>
  findingsOf(
    judge(
      start(),
      ...entries,
      sent('h1', 'ops', 'night', { items_before: items, record }),
      received('h1', 'night', { items, record, ...receipt }),
      end(),
    ),
    'stale-refusal-carried',
  ).map(({ subject }) => subject.id)

describe('a refusal that a rule no longer asks for', () => {
  it('is stale as a part of a message, and in the words of the message', () => {
    expect(stale(lifted, [user, refusal])).toEqual(['a1'])
    const chat = { id: 'a1', role: 'assistant', content: null, refusal: 'I may not deploy.' }
    expect(stale(lifted, [user, chat])).toEqual(['a1'])
  })

  it('is stale as the result of a call that was denied, until the tool answers again', () => {
    const call = (n: number, text: string, tool = 'deploy') => [
      item.call(`i${n}`, `c${n}`, tool),
      item.result(`r${n}`, `c${n}`, text),
    ]
    const denied = call(1, 'Denied: no deploys during the freeze.')
    expect(stale(lifted, [user, ...denied])).toEqual(['r1'])
    expect(stale([rule()], [user, ...denied]), 'the rule holds').toEqual([])
    expect(stale(lifted, [user, ...denied, ...call(2, 'n7 is live')])).toEqual([])
    expect(stale(lifted, [user, ...call(1, 'Denied: no mail.', 'read_mail')])).toEqual([])
    expect(stale(lifted, [user, ...call(1, 'n7: the disk is full')])).toEqual([])
  })

  it('is stale whether the rule forbade the tool or asked for a yes', () => {
    const asks = rule({ check: { require_approval: { tool: 'deploy' } } })
    expect(stale([asks, revoked], [user, refusal])).toEqual(['a1'])
    const several = rule({ check: [{ forbid: [{ tool: ['release', 'deploy'] }] }] })
    expect(stale([several, revoked], [user, refusal])).toEqual(['a1'])
  })

  it('is stale where it names the arguments that were forbidden, and only these', () => {
    const live = [rule({ check: { forbid: { tool: 'deploy', args: { env: 'live' } } } }), revoked]
    expect(stale(live, [refusing('I cannot deploy to live.')])).toEqual(['a1'])
    expect(stale(live, [refusing('I cannot deploy to the lab.')])).toEqual([])
  })

  it.each([
    ['the rule holds', [rule()], [user, refusal]],
    ['it was set again', [...lifted, rule()], [user, refusal]],
    ['another rule forbids the tool', [...lifted, rule({ id: 'freeze-2' })], [user, refusal]],
    ['it refuses another tool', lifted, [user, refusing('I cannot read the mail.')]],
    ['it is no refusal by its form', lifted, [user, item.agent('a1', 'ops', 'I cannot deploy.')]],
    [
      'the words that lifted it crossed',
      [...lifted, message('user', 'The freeze is over.', { id: 'u2' })],
      [user, refusal, item.user('u2', 'The freeze is over.')],
    ],
    [
      'the agent refused for something else since',
      [...lifted, message('assistant', 'I cannot deploy: red tests.', { id: 'a1' })],
      [user, refusing('I cannot deploy: red tests.')],
    ],
    [
      'the revoked rule crossed as well',
      lifted,
      [user, refusal, { type: 'constraint', id: 'freeze-1', content: FREEZE, state: 'revoked' }],
    ],
    [
      'it was done since',
      [...lifted, operation('ops', 'op-1', 'deploy', {}, 'settled', { call: 'c1', key: 'k', result: 'ok' })],
      [user, refusal, item.call('i1', 'c1', 'deploy'), item.result('i2', 'c1', 'ok')],
    ],
  ])('is not stale where %s', (_, entries, items) => {
    expect(stale(entries, items)).toEqual([])
  })

  it('is not stale for a receiver that is denied the tool itself', () => {
    expect(stale(lifted, [user, refusal], {}, { permissions: { deny: ['deploy'] } })).toEqual([])
    const own: Entry = { kind: 'permission', agent: 'night', deny: ['deploy'] }
    expect(stale([own, ...lifted], [user, refusal])).toEqual([])
  })
})

describe('an entry of `rejected`', () => {
  const permissions: Entry[] = [
    { kind: 'permission', agent: 'ops', deny: ['deploy'] },
    { kind: 'permission', agent: 'ops', allow: ['deploy'], deny: [] },
  ]
  const entries = (...rejected: unknown[]) => ({ rejected })

  it('is stale if it tells of a ban that was lifted', () => {
    expect(stale(lifted, [user], entries('read logs', 'deploy n7: the freeze forbids it'))).toEqual([
      'record.rejected[1]',
    ])
    for (const entry of ['deploy', 'Deploy n7: not allowed', { tool: 'deploy', reason: 'permission denied' }])
      expect(stale(permissions, [user], entries(entry)), JSON.stringify(entry)).toHaveLength(1)
  })

  it('is not stale if the tool was tried and dropped for something else', () => {
    for (const entry of ['deploy in one step: too slow', { tool: 'deploy', reason: 'no such host' }]) {
      expect(stale(lifted, [user], entries(entry)), JSON.stringify(entry)).toEqual([])
      expect(stale(permissions, [user], entries(entry)), JSON.stringify(entry)).toEqual([])
    }
    expect(stale([rule()], [user], entries('deploy n7: the freeze forbids it'))).toEqual([])
  })
})

describe('a refusal that was followed by a yes under another id', () => {
  const asked = (id: string, state: string): Entry => ({
    ...{ kind: 'approval', id, state, action: 'extend_leave', scope: { staff: 4 }, agent: 'ops' },
    ...(state === 'pending' ? {} : { by: 'u-9' }),
  })
  const overturned = [
    asked('r1', 'pending'),
    asked('r1', 'rejected'),
    asked('r2', 'pending'),
    asked('r2', 'approved'),
  ]
  const actions = (...entries: object[]) => ({
    pending_actions: entries.map((entry) => ({ action: 'extend_leave', scope: { staff: 4 }, ...entry })),
  })
  const no = { id: 'r1', state: 'rejected' }

  it('is stale alone, or beside a yes to something else', () => {
    expect(stale(overturned, [user], actions(no))).toEqual(['r1'])
    expect(
      stale(overturned, [user], actions(no, { id: 'r9', state: 'approved', scope: { staff: 5 } })),
    ).toEqual(['r1'])
  })

  it('is not stale where the yes crossed as well, in the record or as an item', () => {
    expect(stale(overturned, [user], actions(no, { id: 'r2', state: 'approved' }))).toEqual([])
    const yes = { type: 'approval', approval: 'r2', state: 'approved' }
    expect(stale(overturned, [user, yes], actions(no))).toEqual([])
  })
})
