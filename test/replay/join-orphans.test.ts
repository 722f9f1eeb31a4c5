import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { orderEvents } from '../../replay/fold/order.ts'
import { joinOrphans } from '../../replay/join-orphans.ts'

const span = (letter: string) => ({ id: letter.repeat(32), span: letter.repeat(16) })
const sent = (run: string, handoff: string, letter: string, more: object = {}) =>
  ({ run, kind: 'handoff.sent', handoff, trace: span(letter), ...more }) as RunEvent
const orphan = (run: string, handoff: string, letter: string) =>
  ({ run, kind: 'handoff.received', handoff, orphan: true, link: span(letter) }) as RunEvent

describe('orphans with a link', () => {
  test('move with all that followed, one event for one, in their order', () => {
    const note = { run: 'o', kind: 'note', text: 'x' } as RunEvent
    const accepted = { run: 'o', kind: 'handoff.accepted', handoff: 'h-o' } as RunEvent
    const joined = joinOrphans([
      note,
      orphan('o', 'h-o', 'a'),
      accepted,
      sent('r', 'h-r', 'a', { attempt: 2 }),
    ])
    expect(joined.map(({ run, kind, handoff }) => [run, kind, handoff])).toEqual([
      ['r', 'note', undefined],
      ['r', 'handoff.received', 'h-r'],
      ['r', 'handoff.accepted', 'h-r'],
      ['r', 'handoff.sent', 'h-r'],
    ])
    expect(joined[1]).toMatchObject({
      attempt: 2,
      evidence: 'link',
      joined: { by: 'link', run: 'o', handoff: 'h-o' },
    })
    expect(joined[2]).toMatchObject({ attempt: 2 })
    expect(joinOrphans(joined)).toBe(joined)
  })

  test('keep their numbers apart from those of the run that they come to', () => {
    const events = [
      { run: 'r', seq: 1, kind: 'message', agent: 'a', role: 'assistant', content: 'x' } as RunEvent,
      sent('r', 'h', 'a', { seq: 2 }),
      { ...orphan('o', 'x', 'a'), seq: 1 } as RunEvent,
      { run: 'o', seq: 2, kind: 'note', writer: 'w' } as RunEvent,
    ]
    const joined = joinOrphans(events)
    expect(joined.map(({ writer }) => writer)).toEqual([undefined, undefined, 'o', 'w'])
    expect(
      orderEvents(joined)
        .map(({ kind }) => kind)
        .indexOf('handoff.received'),
    ).toBe(2)
  })

  test('follow a chain to the first sender', () => {
    const events = [sent('r', 'h', 'a'), orphan('o1', 'x', 'a'), sent('o1', 'y', 'b'), orphan('o2', 'z', 'b')]
    expect(joinOrphans(events).map(({ run, handoff }) => [run, handoff])).toEqual([
      ['r', 'h'],
      ['r', 'h'],
      ['r', 'y'],
      ['r', 'y'],
    ])
  })

  test.each<[string, RunEvent[]]>([
    ['whose span nobody sent from', [orphan('o', 'x', 'a'), sent('r', 'h', 'b')]],
    [
      'in a run that somebody started',
      [orphan('o', 'x', 'a'), { run: 'o', kind: 'run.start' } as RunEvent, sent('r', 'h', 'a')],
    ],
    ['that are several in one run', [orphan('o', 'x', 'a'), orphan('o', 'y', 'a'), sent('r', 'h', 'a')]],
    [
      'whose span two handoffs were sent from',
      [orphan('o', 'x', 'a'), sent('r', 'h', 'a'), sent('r', 'i', 'a')],
    ],
    ['in a circle', [orphan('o', 'x', 'b'), sent('o', 'y', 'a'), orphan('p', 'z', 'a'), sent('p', 'w', 'b')]],
    [
      'that know their handoff',
      [{ ...orphan('o', 'x', 'a'), orphan: false } as RunEvent, sent('r', 'h', 'a')],
    ],
  ])('stay where they are: %s', (_name, events) => {
    expect(joinOrphans(events)).toEqual(events)
  })
})
