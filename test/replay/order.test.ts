import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { orderEvents } from '../../replay/fold/order.ts'
import { timeOf } from '../../replay/fold/time.ts'

const BASE = Date.parse('2030-05-06T08:00:00Z')
const at = (ms: number) => new Date(BASE + ms).toISOString()

/*
 * A history is made in its true order first: every event has a writer, and causes come before effects. Then each writer
 * gets a clock that is wrong and steps about, and the log is shuffled.
 */
type Happening = { writer: string; kind: string; handoff?: string; key?: string; attempt?: number }

const happening = fc.record({
  writer: fc.constantFrom('a', 'b', 'c', 'd'),
  what: fc.constantFrom('message', 'sent', 'received', 'accepted', 'try'),
  pick: fc.nat(),
})

const history = fc.array(happening, { minLength: 1, maxLength: 30 }).map((steps) => {
  const sent: string[] = []
  const tries = new Map<string, number>()
  const happened: Happening[] = [{ writer: steps[0]!.writer, kind: 'run.start' }]
  for (const { writer, what, pick } of steps) {
    if (what === 'sent') {
      sent.push(`h${sent.length}`)
      happened.push({ writer, kind: 'handoff.sent', handoff: sent.at(-1)! })
    } else if ((what === 'received' || what === 'accepted') && sent.length > 0) {
      happened.push({ writer, kind: `handoff.${what}`, handoff: sent[pick % sent.length]! })
    } else if (what === 'try') {
      const key = `k${pick % 3}`
      tries.set(key, (tries.get(key) ?? 0) + 1)
      happened.push({ writer, kind: 'operation', key, attempt: tries.get(key)! })
    } else happened.push({ writer, kind: 'message' })
  }
  return happened
})

function numbered(
  happened: readonly Happening[],
  timeOfEvent: (index: number, writer: string) => string,
): RunEvent[] {
  const seqs = new Map<string, number>()
  return happened.map((event, index) => {
    const seq = (seqs.get(event.writer) ?? 0) + 1
    seqs.set(event.writer, seq)
    return { run: 'r', seq, at: timeOfEvent(index, event.writer), op: `op${index}`, ...event }
  })
}

const wrongClocks = fc
  .tuple(history, fc.infiniteStream(fc.integer({ min: -50, max: 50 })))
  .map(([happened, noise]) => {
    const skew: Record<string, number> = { a: 0, b: 40, c: -35, d: 3 }
    const wrong = Array.from({ length: happened.length }, () => noise.next().value as number)
    return numbered(happened, (index, writer) => at(index * 10 + skew[writer]! + wrong[index]!))
  })

const shuffled = <T>(list: fc.Arbitrary<T[]>) =>
  list.chain((events) =>
    fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
  )

const name = (event: RunEvent) => `${event.writer}${event.seq}`

/** What has to have happened before an event, read off the format's definition. */
function provenBefore(event: RunEvent, all: readonly RunEvent[]): RunEvent[] {
  const first = (matches: (other: RunEvent) => boolean) => all.filter(matches).slice(0, 1)
  const before = event.kind === 'run.start' ? [] : first(({ kind }) => kind === 'run.start')
  if (event.kind === 'handoff.received' || event.kind === 'handoff.accepted') {
    before.push(...first((other) => other.kind === 'handoff.sent' && other.handoff === event.handoff))
  }
  if (event.kind === 'operation' && (event.attempt as number) > 1) {
    before.push(
      ...first((other) => other.key === event.key && other.attempt === (event.attempt as number) - 1),
    )
  }
  return before
}

/** The definition, word by word and without any index: the earliest event of which everything needed has been shown. */
function byDefinition(events: readonly RunEvent[]): RunEvent[] {
  const time = new Map<RunEvent, number>()
  for (const event of events) {
    const earlier = events.filter((other) => other.writer === event.writer && other.seq! <= event.seq!)
    time.set(event, Math.max(...earlier.map((other) => Date.parse(other.at!))))
  }
  const out: RunEvent[] = []
  while (out.length < events.length) {
    const free = events.filter(
      (event) =>
        !out.includes(event) &&
        events.every(
          (other) => other.writer !== event.writer || other.seq! >= event.seq! || out.includes(other),
        ) &&
        provenBefore(event, events).every((cause) => out.includes(cause)),
    )
    free.sort((a, b) => time.get(a)! - time.get(b)! || (a.writer! < b.writer! ? -1 : 1))
    out.push(free[0]!)
  }
  return out
}

describe('the order of a run', () => {
  it('is the one of the definition, whatever the clocks say and however the log is shuffled', () => {
    fc.assert(
      fc.property(shuffled(wrongClocks), ([events, mixed]) => {
        const expected = byDefinition(events).map(name)
        expect(orderEvents(events).map(name)).toEqual(expected)
        expect(orderEvents(mixed).map(name)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps each writer by its numbers and every cause before its effect', () => {
    fc.assert(
      fc.property(wrongClocks, (events) => {
        const ordered = orderEvents(events)
        expect(ordered.map(name).sort()).toEqual(events.map(name).sort())
        ordered.forEach((event, place) => {
          for (const cause of provenBefore(event, events)) expect(ordered.indexOf(cause)).toBeLessThan(place)
          for (const later of ordered.slice(place)) {
            if (later.writer === event.writer) expect(later.seq!).toBeGreaterThanOrEqual(event.seq!)
          }
        })
      }),
    )
  })

  it('is the true order where the clocks are right', () => {
    fc.assert(
      fc.property(
        shuffled(history.map((happened) => numbered(happened, (index) => at(index * 10)))),
        ([events, mixed]) => {
          expect(orderEvents(mixed).map(name)).toEqual(events.map(name))
        },
      ),
    )
  })

  it('shows an event once that was delivered again, and two events that share a number both', () => {
    fc.assert(
      fc.property(wrongClocks, (events) => {
        const copies = events.map((event) => JSON.parse(JSON.stringify(event)) as RunEvent)
        expect(orderEvents([...events, ...copies, ...copies]).map(name)).toEqual(
          orderEvents(events).map(name),
        )
      }),
    )
    const first = { run: 'r', kind: 'message', writer: 'a', seq: 1, at: at(0), content: 'one' }
    expect(orderEvents([first, { ...first, content: 'two' }, { ...first }])).toEqual([
      first,
      { ...first, content: 'two' },
    ])
  })
})

describe('events that lack something', () => {
  const contents = (events: RunEvent[]) => orderEvents(events).map(({ content }) => content)
  const said = (content: string, fields: object = {}) => ({ run: 'r', kind: 'message', content, ...fields })

  it('stand as they stand in the file if they have neither number nor time, equal lines included', () => {
    expect(contents([said('a'), said('b'), said('a')])).toEqual(['a', 'b', 'a'])
  })

  it('without a number go by time, and without a time with the line before them', () => {
    expect(
      contents([
        said('late', { at: at(50) }),
        said('after late'),
        said('early', { at: at(10) }),
        said('after early'),
      ]),
    ).toEqual(['early', 'after early', 'late', 'after late'])
  })

  it('without a time stand between their neighbours in the numbering', () => {
    const one = (content: string, writer: string, seq: number, ms?: number) =>
      said(content, { writer, seq, ...(ms === undefined ? {} : { at: at(ms) }) })
    expect(
      contents([
        one('b1', 'b', 1),
        one('b2', 'b', 2, 30),
        one('b3', 'b', 3),
        one('a1', 'a', 1, 0),
        one('a2', 'a', 2, 20),
        one('a3', 'a', 3, 40),
      ]),
    ).toEqual(['a1', 'a2', 'b1', 'b2', 'b3', 'a3'])
  })

  it('may be mixed with numbered ones of the same writer', () => {
    expect(
      contents([
        said('n2', { seq: 2, at: at(20) }),
        said('u30', { at: at(30) }),
        said('n1', { seq: 1, at: at(40) }),
        said('u10', { at: at(10) }),
      ]),
    ).toEqual(['u10', 'u30', 'n1', 'n2'])
  })

  it('have a time that is none', () => {
    expect(contents([said('x', { seq: 1, at: 'yesterday' }), said('y', { seq: 2, at: at(0) })])).toEqual([
      'x',
      'y',
    ])
    expect(orderEvents([])).toEqual([])
  })
})

describe('order that clocks do not give', () => {
  it('a clock that steps back does not turn a writer around', () => {
    const events = [5000, 4000, 3000].map((ms, index) => ({
      run: 'r',
      kind: 'message',
      writer: 'a',
      seq: index + 1,
      at: at(ms),
    }))
    const other = { run: 'r', kind: 'message', writer: 'b', seq: 1, at: at(3500) }
    expect(orderEvents([events[2]!, other, events[0]!, events[1]!]).map(name)).toEqual([
      'b1',
      'a1',
      'a2',
      'a3',
    ])
  })

  it('an answer follows the first request for it, and no later one', () => {
    const approval = (writer: string, seq: number, ms: number, state: string) =>
      ({ run: 'r', writer, seq, at: at(ms), kind: 'approval', id: 'ap', state }) as RunEvent
    const shown = (...events: RunEvent[]) => orderEvents(events).map(({ writer, seq }) => `${writer}${seq}`)
    expect(shown(approval('web', 1, 10, 'approved'), approval('bot', 1, 900, 'pending'))).toEqual([
      'bot1',
      'web1',
    ])
    const again = [approval('bot', 1, 10, 'requested'), approval('bot', 2, 90, 'pending')]
    expect(shown(...again, approval('web', 1, 50, 'denied'))).toEqual(['bot1', 'web1', 'bot2'])
    // What one writer numbers stays as it is numbered.
    expect(shown(approval('bot', 1, 10, 'approved'), approval('bot', 2, 20, 'pending'))).toEqual([
      'bot1',
      'bot2',
    ])
  })

  it('a reply to the first attempt may come after the second attempt was sent', () => {
    const op = (writer: string, seq: number, ms: number, attempt: number, state: string) => ({
      ...{ run: 'r', kind: 'operation', op: 'o', key: 'k', writer, seq, at: at(ms), attempt, state },
    })
    const events = [
      op('a', 1, 10, 1, 'sent'),
      op('b', 1, 5, 2, 'sent'),
      op('a', 2, 30, 1, 'settled'),
      op('b', 2, 40, 2, 'settled'),
    ]
    expect(orderEvents(events).map(name)).toEqual(['a1', 'b1', 'a2', 'b2'])
  })

  it('a writer that numbers an effect before its cause is shown by its numbers, and delays nobody', () => {
    const events = [
      { run: 'r', kind: 'handoff.received', handoff: 'h', writer: 'a', seq: 1, at: at(0) },
      { run: 'r', kind: 'message', writer: 'b', seq: 1, at: at(5) },
      { run: 'r', kind: 'handoff.sent', handoff: 'h', writer: 'a', seq: 2, at: at(10) },
    ]
    expect(orderEvents(events).map(name)).toEqual(['a1', 'b1', 'a2'])
  })

  it('two writers that each wait for the other are still shown whole', () => {
    const side = (writer: string, gets: string, sends: string) => [
      { run: 'r', kind: 'handoff.received', handoff: gets, writer, seq: 1, at: at(writer === 'a' ? 0 : 1) },
      { run: 'r', kind: 'handoff.sent', handoff: sends, writer, seq: 2, at: at(2) },
    ]
    expect(orderEvents([...side('b', 'h1', 'h2'), ...side('a', 'h2', 'h1')]).map(name)).toEqual([
      'a1',
      'a2',
      'b1',
      'b2',
    ])
  })

  it('nanoseconds order', () => {
    expect(timeOf('2031-03-04T09:00:02.123456789Z')).toEqual({
      ms: Date.UTC(2031, 2, 4, 9, 0, 2, 123),
      nanos: 456_789,
    })
    expect(timeOf('2031-03-04T10:00:02.5+01:00')).toEqual({
      ms: Date.UTC(2031, 2, 4, 9, 0, 2, 500),
      nanos: 0,
    })
    expect([timeOf('soon'), timeOf(5), timeOf('2031-13-04T09:00:00Z')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    const early = { run: 'r', kind: 'message', writer: 'z', seq: 1, at: '2031-03-04T09:00:02.123000001Z' }
    const late = { run: 'r', kind: 'message', writer: 'a', seq: 1, at: '2031-03-04T09:00:02.123000002Z' }
    expect(orderEvents([late, early])).toEqual([early, late])
  })
})

describe('size', () => {
  it('100,000 events of five writers, and 20,000 events of as many, come out whole', () => {
    const events = Array.from({ length: 100_000 }, (_, index) => ({
      ...{
        run: 'r',
        kind: 'message',
        writer: `w${index % 5}`,
        seq: Math.floor(index / 5) + 1,
        at: at(index),
      },
    }))
    expect(orderEvents([...events].reverse()).map(name)).toEqual(events.map(name))
    const many = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ run: 'r', kind: 'message', writer: `w${index}`, seq: 1, at: at(index) },
    }))
    expect(orderEvents([...many].reverse()).map(name)).toEqual(many.map(name))
  })
})
