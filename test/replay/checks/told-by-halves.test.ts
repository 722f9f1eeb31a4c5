import { describe, expect, it } from 'vitest'
import { type Entry, end, item, judge, message, raised, received, sent, start } from '../run-builder.ts'

/* Logs that tell one half only: items without an operations log, a delta without the history, a failure without its attempt. */

const user = item.user('u1', 'Why does pump 2 stop at night?')
const rates = (...entries: Entry[]) => raised(judge(start(), ...entries, end()))

describe('a conclusion where only the items tell of the calls', () => {
  const call = item.call('i1', 'c1', 'read_log', { pump: 2 })
  const result = item.result('i2', 'c1', 'bearing at 141 C, 03:10')
  const last = item.agent('a1', 'scout', 'The bearing overheats.')
  const hop = (before: unknown[], after: unknown[], fields: object = {}) =>
    rates(
      sent('h1', 'scout', 'repair', { items_before: before, ...fields }),
      received('h1', 'repair', { items: after }),
    )

  it('crossed without what it rests on', () => {
    expect(hop([user, call, result, last], [user, last])).toEqual(['evidence-missing'])
  })

  it('is backed by the result, its words, or needs none where a filter is declared', () => {
    expect(hop([user, call, result, last], [user, call, result, last])).toEqual([])
    const quoted = item.agent('a1', 'scout', 'Log: bearing at 141 C, 03:10. It overheats.')
    expect(hop([user, call, result, quoted], [user, quoted])).toEqual([])
    expect(hop([user, call, result, last], [user, last], { policy: { filter: 'remove-tools' } })).toEqual([])
  })

  it('rests on no answer of a call that hands over, nor on an empty one', () => {
    const over = [item.call('i1', 'c1', 'transfer_to_repair'), item.result('i2', 'c1', 'Transferred.')]
    const bye = item.agent('a1', 'scout', 'Repair will look at it.')
    expect(hop([user, ...over, bye], [user, bye])).toEqual([])
    expect(hop([user, call, item.result('i2', 'c1', ''), last], [user, last])).toEqual([])
  })
})

describe('a payload that is not all that the model read', () => {
  const next = item.user('u2', 'And pump 3?')
  const resumed = (receipt: object) =>
    judge(
      start(),
      message('user', 'Why does pump 2 stop at night?', { id: 'u1', agent: 'scout' }),
      sent('h1', 'scout', 'scout', { mode: 'resume', items_before: [user, next] }),
      received('h1', 'scout', receipt),
      end(),
    )

  it.each(['checkpoint', 'thread'])('is not missed where nothing but a %s crossed', (field) => {
    const { findings, notJudged } = resumed({ items: [], [field]: 'cp-4' })
    expect(findings).toEqual([])
    expect(notJudged).toContainEqual(expect.objectContaining({ check: 'user-message-dropped' }))
  })

  it('is not missed where the provider continues from its last answer', () => {
    const answer = { type: 'function_call_output', call_id: 'c1', output: 'bearing at 141 C' }
    expect(resumed({ items: [answer], previous_response_id: 'resp_1' }).findings).toEqual([])
    expect(raised(resumed({ items: [answer] }))).toEqual(['user-message-dropped', 'item-orphaned'])
  })

  it('is judged where the items came beside the checkpoint, or without one', () => {
    expect(raised(resumed({ items: [user], checkpoint: 'cp-4' }))).toEqual(['user-message-dropped'])
    expect(raised(resumed({ items: [] }))).toEqual(['user-message-dropped', 'payload-empty'])
  })
})

describe('a dead letter after attempts that are not all in the log', () => {
  const dead = (before: object) =>
    rates(
      sent('h1', 'front', 'clerk', before),
      { kind: 'handoff.failed', handoff: 'h1', outcome: 'refused', error: '503', attempt: 3 },
      { kind: 'handoff.dead_lettered', handoff: 'h1', reason: 'down', attempts: 3, last_status: '503' },
    )

  it('has the contract of the attempt that was sent', () => {
    expect(dead({ items_before: [user] })).toEqual([])
    expect(dead({ items_before: [] })).toEqual(['dead-letter-incomplete'])
  })
})
