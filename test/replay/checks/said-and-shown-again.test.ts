import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  item,
  judge,
  message,
  operation,
  raised,
  received,
  sent,
  start,
} from '../run-builder.ts'

/* What comes round again: a task through a ring, a turn told and shown, a question, a state after a restart. */

describe('a ring of desks', () => {
  const words = [item.user('u1', 'Who pays my fine?')]
  const laps = (desks: readonly string[], times: number, between: Entry[] = [], reason = 'not my desk') =>
    raised(
      judge(
        start(),
        message('user', 'Who pays my fine?', { id: 'u1', agent: desks[0] }),
        ...Array.from({ length: times }, (_, lap) => [
          ...desks.flatMap((desk, index) =>
            crossed(`h${lap}-${index}`, desk, desks[(index + 1) % desks.length]!, words, { reason }),
          ),
          ...between,
        ]).flat(),
        end(),
      ),
    )

  it('is a cycle after two laps of three or more', () => {
    expect(laps(['tax', 'court', 'police'], 2)).toContain('handoff-cycle')
    expect(laps(['tax', 'court', 'police', 'town'], 2)).toContain('handoff-cycle')
  })

  it('is none after one lap, between two, or when the user or a new result comes between', () => {
    expect(laps(['tax', 'court', 'police'], 1)).not.toContain('handoff-cycle')
    expect(laps(['tax', 'court'], 2)).not.toContain('handoff-cycle')
    const asked = message('user', 'And the fee?', { agent: 'tax' })
    expect(laps(['tax', 'court', 'police'], 2, [asked])).not.toContain('handoff-cycle')
    const found = operation('tax', 'op-1', 'look_up', { no: 4 }, 'settled', {
      effect: 'read',
      result: 'open',
    })
    expect(laps(['tax', 'court', 'police'], 2, [found])).not.toContain('handoff-cycle')
  })

  it('is none where the last words differ on every lap', () => {
    const legs = ['draft', 'critic', 'edit'].flatMap((desk, index, desks) =>
      [1, 2].flatMap((lap) =>
        crossed(
          `h${lap}-${index}`,
          desk,
          desks[(index + 1) % 3]!,
          [
            item.user('u1', 'A poem'),
            item.agent(`a${lap}${index}`, desk, `Version ${lap}.${index} of the poem`),
          ],
          { reason: 'next' },
        ),
      ),
    )
    expect(raised(judge(start(), ...legs, end()))).not.toContain('handoff-cycle')
  })
})

describe('one turn in a summary and raw beside it', () => {
  const said = item.agent('a1', 'desk', 'I will pass you to the lines team.')
  const before = [item.user('u1', 'Please cancel the second line of my contract.'), said]
  const with_ = (content: string) =>
    raised(
      judge(
        start(),
        sent('h1', 'desk', 'lines', { items_before: before, policy: { history: 'nested-summary' } }),
        received('h1', 'lines', { items: [{ id: 's1', type: 'summary', role: 'assistant', content }, said] }),
        end(),
      ),
    )

  it.each(['assistant', 'Desk'])('is told twice under the name of its speaker (%s)', (speaker) => {
    const transcript = `1. user: Please cancel the second line of my contract.\n2. ${speaker}: I will pass you to the lines team.`
    expect(with_(transcript)).toContain('item-duplicated')
  })

  it('may be quoted, or stand for itself', () => {
    expect(
      with_('The desk said "I will pass you to the lines team." and left; the user wants line 2 cancelled.'),
    ).not.toContain('item-duplicated')
    expect(with_('user: Please cancel the second line of my contract.')).not.toContain('item-duplicated')
  })
})

describe('two topics in one question', () => {
  const asking = (asks: unknown) =>
    raised(
      judge(
        start(),
        message('user', 'Meyer, I need Tuesday.', {
          id: 'u1',
          agent: 'front',
          gives: { name: 'Meyer', day: 'Tuesday' },
        }),
        ...crossed('h1', 'front', 'planner', [item.user('u1', 'Meyer, I need Tuesday.')]),
        message('assistant', 'Tell me more, please.', { agent: 'planner', asks }),
        end(),
      ),
    )

  it('are asked again when one of them was given', () => {
    expect(asking('phone, day')).toContain('re-ask')
    expect(asking('name; day')).toContain('re-ask')
    expect(asking('phone, time')).not.toContain('re-ask')
  })
})

describe('an agent that starts anew', () => {
  const snapshot = (count: number, fields: object = {}): Entry => ({
    kind: 'snapshot',
    agent: 'counter',
    state: { count },
    ...fields,
  })
  const crash: Entry = { kind: 'process.crash', agent: 'counter' }
  const shown = (...entries: Entry[]) => raised(judge(start(), ...entries, end()))

  it('goes on from another past when its state is not the one it had', () => {
    expect(shown(snapshot(7), crash, snapshot(6))).toEqual(['view-diverged'])
    expect(shown(snapshot(7), crash, { kind: 'session.created', agent: 'counter' }, snapshot(6))).toEqual([
      'view-diverged',
    ])
  })

  it('is silent when the state is the same, somebody worked, another one crashed or nothing stopped', () => {
    expect(shown(snapshot(7), crash, snapshot(7))).toEqual([])
    expect(shown(snapshot(7), snapshot(8))).toEqual([])
    expect(shown(snapshot(7), { ...crash, agent: 'other' }, snapshot(8))).toEqual([])
    const work = operation('counter', 'op-1', 'count_up', {}, 'settled', { key: 'c-1', result: 'ok' })
    expect(shown(snapshot(7), crash, work, snapshot(8))).toEqual([])
    expect(shown(snapshot(7, { session: 's-1' }), crash, snapshot(0, { session: 's-2' }))).toEqual([])
  })
})
