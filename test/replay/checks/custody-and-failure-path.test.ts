import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  message,
  operation,
  raised,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

const user = item.user('u1', 'Move my booking to Friday.')
const says = (agent: string, text: string, fields: object = {}) =>
  message('assistant', text, { agent, ...fields })
const write = (agent: string, op: string, args: object, fields: object = {}) =>
  operation(agent, op, 'move_booking', args, 'settled', { key: `k-${op}`, result: 'ok', ...fields })

describe('handoff-dropped', () => {
  const toDesk = sent('h1', 'front', 'desk', { items_before: [user] })

  it('is raised in every mode when the run ended and nobody received it', () => {
    for (const mode of ['transfer', 'delegate', 'return', 'resume', 'escalate']) {
      const analysis = judge(start(), sent('h1', 'front', 'desk', { mode, items_before: [user] }), end())
      expect(findingsOf(analysis, 'handoff-dropped'), mode).toHaveLength(1)
    }
    expect(raised(judge(start(), sent('h1', 'front', 'desk', { mode: 'notify' }), end()))).not.toContain(
      'handoff-dropped',
    )
    expect(raised(judge(start(), toDesk, received('h1', 'desk', { items: [user] }), end()))).not.toContain(
      'handoff-dropped',
    )
  })

  it('waits for a run that goes on, unless the acceptance is overdue or the sender was started anew', () => {
    expect(raised(judge(start(), toDesk))).not.toContain('handoff-dropped')
    for (const ack_due of ['2030-05-06T08:00:05Z', 'PT3S', '3s']) {
      const due = sent('h1', 'front', 'desk', { items_before: [user], ack_due })
      const inRecord = sent('h1', 'front', 'desk', { items_before: [user], record: { ack_due } })
      const ticks = [1, 2, 3].map(() => ({ kind: 'tick' }))
      expect(raised(judge(start(), due, ...ticks)), ack_due).toContain('handoff-dropped')
      expect(raised(judge(start(), inRecord, ...ticks)), ack_due).toContain('handoff-dropped')
      expect(raised(judge(start(), due)), ack_due).not.toContain('handoff-dropped')
    }
    const anew = crossed('h2', 'front', 'front', [user], { mode: 'resume' })
    expect(raised(judge(start(), toDesk, { kind: 'process.crash', agent: 'front' }, ...anew))).toContain(
      'handoff-dropped',
    )
  })

  it('is raised for a failure after which nobody does anything, and not when the sender goes on', () => {
    const failed: Entry = { kind: 'handoff.failed', handoff: 'h1', outcome: 'refused', error: 'queue full' }
    expect(
      raised(judge(start(), toDesk, failed, { kind: 'session.created', agent: 'desk' }, end())),
    ).toContain('handoff-dropped')
    expect(
      raised(judge(start(), toDesk, failed, says('front', 'I will do it myself.'), end())),
    ).not.toContain('handoff-dropped')
    const again = crossed('h2', 'front', 'desk', [user])
    expect(raised(judge(start(), toDesk, failed, ...again, end()))).not.toContain('handoff-dropped')
  })

  it('is silent when a later attempt or another outcome takes its place', () => {
    const second = [
      sent('h1', 'front', 'desk', { items_before: [user], attempt: 2 }),
      received('h1', 'desk', { items: [user], attempt: 2 }),
    ]
    expect(raised(judge(start(), toDesk, ...second, end()))).not.toContain('handoff-dropped')
    for (const kind of ['handoff.declined', 'handoff.dead_lettered', 'handoff.accepted']) {
      expect(raised(judge(start(), toDesk, { kind, handoff: 'h1', by: 'desk' }, end())), kind).not.toContain(
        'handoff-dropped',
      )
    }
  })

  it('does not judge a receiver that acts although its side was not captured', () => {
    const analysis = judge(start(), toDesk, says('desk', 'Friday it is.'), end())
    expect(raised(analysis)).not.toContain('handoff-dropped')
    expect(analysis.notJudged.filter(({ check }) => check === 'handoff-dropped')).toHaveLength(1)
  })

  it('is raised for a result that stays behind while the parent talks on', () => {
    const analysis = judge(
      start(),
      says('front', 'Hello.'),
      ...crossed('h1', 'front', 'digger', [user], { mode: 'delegate', background: true }),
      sent('h2', 'digger', 'front', {
        mode: 'return',
        items_before: [item.agent('d1', 'digger', 'Seat 14 is free.')],
      }),
      message('user', 'any news?', { agent: 'front' }),
      says('front', 'Not yet.'),
      end(),
    )
    expect(findingsOf(analysis, 'handoff-dropped').map(({ handoff }) => handoff)).toEqual(['h2'])
  })
})

describe('two-active', () => {
  const transfer = (mode = 'transfer') => crossed('h1', 'front', 'desk', [user], { mode })

  it('is raised when the old agent speaks, asks its model or writes', () => {
    const acts: Entry[] = [
      says('front', 'One more question.'),
      { kind: 'model.input', agent: 'front', items: [user] },
      write('front', 'op-1', { day: 5 }),
    ]
    for (const act of acts) {
      for (const mode of ['transfer', 'return', 'resume']) {
        expect(
          findingsOf(judge(start(), ...transfer(mode), act, end()), 'two-active'),
          act.kind,
        ).toHaveLength(1)
      }
    }
    expect(raised(judge(start(), ...transfer('delegate'), acts[0]!, acts[2]!, end()))).not.toContain(
      'two-active',
    )
  })

  it('is silent for late replies, empty words, reads, and the word that announces the transfer', () => {
    const analysis = judge(
      start(),
      write('front', 'op-1', { day: 5 }, { state: 'sent' }),
      ...transfer(),
      says('front', ''),
      says('front', 'Desk takes it from here.'),
      write('front', 'op-1', { day: 5 }),
      says('desk', 'I have it.'),
      end(),
    )
    expect(raised(analysis)).not.toContain('two-active')
  })

  it('is silent once the old agent has a task again', () => {
    const again: Entry[][] = [
      crossed('h2', 'desk', 'front', [user]),
      crossed('h2', 'desk', 'front', [user], { mode: 'delegate' }),
      crossed('h2', 'desk', 'front', [user], { mode: 'return' }),
      [{ kind: 'handoff.declined', handoff: 'h1', by: 'desk' }],
      [{ kind: 'handoff.failed', handoff: 'h1', outcome: 'unknown' }],
      [{ kind: 'handoff.verdict', handoff: 'h1', by: 'desk', verdict: 'approve' }],
      [message('user', 'Front, are you there?', { agent: 'front' })],
    ]
    for (const entries of again) {
      const analysis = judge(start(), ...transfer(), ...entries, says('front', 'Back again.'), end())
      expect(raised(analysis), entries[0]!.kind).not.toContain('two-active')
    }
  })

  it('is silent in ordinary long runs', () => {
    const analysis = judge(
      start(),
      says('front', 'Hello.'),
      ...crossed('h1', 'front', 'worker', [user], { mode: 'delegate', brief: 'look up seat' }),
      ...crossed('h2', 'front', 'worker', [user], { mode: 'delegate', brief: 'look up price' }),
      read('worker', 'op-1', 'seat', { n: 1 }),
      ...crossed('h3', 'worker', 'front', [], { mode: 'return' }),
      // The second task of the helper is still open.
      write('worker', 'op-2', { day: 5 }),
      ...crossed('h4', 'worker', 'front', [], { mode: 'return' }),
      says('front', 'Your seat is moved.'),
      ...crossed('h5', 'front', 'desk', [user]),
      says('desk', 'Hello from the desk.'),
      ...crossed('h6', 'desk', 'front', [user], { mode: 'delegate', brief: 'ask for the name' }),
      says('front', 'Your name, please?'),
      ...crossed('h7', 'front', 'desk', [], { mode: 'return' }),
      says('desk', 'Thank you.'),
      ...crossed('h8', 'desk', 'front', [user]),
      says('front', 'Anything else?'),
      end(),
    )
    expect(raised(analysis)).not.toContain('two-active')
    expect(raised(analysis)).not.toContain('handoff-dropped')
    expect(raised(analysis)).not.toContain('handoff-cycle')
  })

  it('is raised where the write stands before the receipt only by a clock that is shown to be ahead', () => {
    // Front's clock is right, and that of desk a minute ahead: h0 came from there 59 seconds before it was sent.
    const at = (seconds: number) => ({ at: new Date(Date.UTC(2031, 4, 6) + seconds * 1000).toISOString() })
    const front = (seconds: number) => ({ writer: 'p-front', seq: seconds + 1, ...at(seconds) })
    const desk = (seconds: number, ahead = 60) => ({
      writer: 'p-desk',
      seq: seconds + 1,
      ...at(seconds + ahead),
    })
    const handoffs = (ahead: number, transit: number) => [
      { ...start(), ...front(0) },
      { ...sent('h0', 'desk', 'front', { items_before: [user] }), ...desk(10, ahead) },
      { ...received('h0', 'front', { items: [user] }), ...front(11) },
      { ...sent('h1', 'front', 'desk', { items_before: [user] }), ...front(20) },
      { ...received('h1', 'desk', { items: [user] }), ...desk(20 + transit, ahead) },
    ]
    const lateWrite = { ...write('front', 'op-1', { day: 5 }), ...front(25) }
    const found = (...entries: Entry[]) => findingsOf(judge(...entries), 'two-active')
    const [finding] = found(...handoffs(60, 2), lateWrite)
    expect(finding).toMatchObject({ handoff: 'h1', message: expect.stringContaining('move_booking (op-1)') })
    expect(finding!.message).toContain('the clock of p-desk is at least 59.0 s ahead of that of p-front')
    // It may have been received after the write: the request took its time, and no clock is known to be wrong.
    expect(found(...handoffs(0, 62), lateWrite)).toEqual([])
    expect(found(...handoffs(60, 4), lateWrite)).toEqual([])
    // Front got another task in between.
    const task = [
      { ...sent('h2', 'south', 'front', { items_before: [user] }), writer: 'p-south', seq: 1, ...at(22) },
      { ...received('h2', 'front', { items: [user] }), ...front(23) },
    ]
    expect(found(...handoffs(60, 2), ...task, lateWrite)).toEqual([])
    // Handoffs both ways came before they were sent: a clock was set, and says nothing any more.
    const contrary = [
      { ...sent('h3', 'front', 'desk', { mode: 'notify', items_before: [user] }), ...front(12) },
      { ...received('h3', 'desk', { items: [user] }), ...desk(13, 0) },
    ]
    expect(found(...handoffs(60, 2), ...contrary, lateWrite)).toEqual([])
  })

  it('is raised when one turn of the user is answered by both', () => {
    const both = (other: Entry[]) =>
      judge(
        start(),
        ...transfer(),
        says('desk', 'I have it.'),
        message('user', 'thanks', { agent: 'front' }),
        says('front', 'You are welcome.'),
        ...other,
        end(),
      )
    expect(raised(both([says('desk', 'You are welcome too.')]))).toContain('two-active')
    expect(raised(both([]))).not.toContain('two-active')
  })

  it('is raised when two agents do one job', () => {
    const job = { mode: 'delegate', brief: 'move the booking to Friday' }
    const one = crossed('h1', 'front', 'north', [user], job)
    const two = crossed('h2', 'front', 'south', [user], job)
    const writes = [write('north', 'op-1', { day: 5 }), write('south', 'op-2', { day: 5 })]
    const count = (...entries: Entry[]) => findingsOf(judge(start(), ...entries, end()), 'two-active').length
    expect(count(...one, ...two, ...writes)).toBe(1)
    expect(
      count(
        ...one,
        writes[0]!,
        ...crossed('h3', 'north', 'front', [], { mode: 'return' }),
        ...two,
        writes[1]!,
      ),
    ).toBe(0)
    expect(
      count(
        ...one,
        ...crossed('h2', 'front', 'south', [user], { ...job, brief: 'tell the hotel' }),
        ...writes,
      ),
    ).toBe(0)
    const shared = [...one, received('h1', 'south', { items: [user], process: 'p2' })]
    expect(count(...shared, ...writes)).toBe(1)
    expect(count(...shared, writes[0]!)).toBe(0)
  })
})

describe('handoff-cycle', () => {
  const rounds = (
    count: number,
    between: (n: number) => Entry[] = () => [],
    brief: (n: number) => string = () => 'sum up',
  ) =>
    Array.from({ length: count }, (_, n) => [
      ...crossed(`a${n}`, 'lead', 'clerk', [user], { mode: 'delegate', brief: brief(n) }),
      ...between(n),
      ...crossed(`b${n}`, 'clerk', 'lead', [item.agent(`m${n}`, 'clerk', 'Same as before.')], {
        mode: 'return',
      }),
    ]).flat()

  it('is raised once, for the same brief three times', () => {
    expect(findingsOf(judge(start(), ...rounds(3), end()), 'handoff-cycle')).toHaveLength(1)
    expect(findingsOf(judge(start(), ...rounds(9), end()), 'handoff-cycle')).toHaveLength(1)
    expect(raised(judge(start(), ...rounds(2), end()))).not.toContain('handoff-cycle')
  })

  it('is silent for other briefs, for work that brings results, and when a person speaks or decides', () => {
    expect(
      raised(
        judge(
          start(),
          ...rounds(
            6,
            () => [],
            (n) => `part ${n}`,
          ),
          end(),
        ),
      ),
    ).not.toContain('handoff-cycle')
    const works = (n: number) => [
      read('clerk', `op-${n}`, 'poll', { job: 4 }, 'settled', { result: `${n} of 6` }),
    ]
    expect(raised(judge(start(), ...rounds(6, works), end()))).not.toContain('handoff-cycle')
    const stuck = (n: number) => [
      read('clerk', `op-${n}`, 'poll', { job: 4 }, 'settled', { result: 'waiting' }),
    ]
    expect(raised(judge(start(), ...rounds(4, stuck), end()))).toContain('handoff-cycle')
    const asked = (n: number) => [message('user', `once more, number ${n}`)]
    expect(raised(judge(start(), ...rounds(6, asked), end()))).not.toContain('handoff-cycle')
  })

  it('is raised whatever an agent finds that takes part in no handoff', () => {
    const probes = (agent: string) => (n: number) => [
      read(agent, `op-${n}`, 'probe', { n }, 'settled', { result: `load ${n}` }),
    ]
    expect(raised(judge(start(), ...rounds(4, probes('monitor')), end()))).toContain('handoff-cycle')
    const helped = (n: number) => [
      ...crossed(`c${n}`, 'clerk', 'archive', [user], { mode: 'delegate', brief: `shelf ${n}` }),
      ...probes('archive')(n),
    ]
    expect(raised(judge(start(), ...rounds(4, helped), end()))).not.toContain('handoff-cycle')
  })

  it('is raised for transfers to and fro, also through a third agent and with a growing history', () => {
    const way = (agents: string[], laps: number) =>
      Array.from({ length: laps * agents.length }, (_, n) =>
        crossed(
          `h${n}`,
          agents[n % agents.length]!,
          agents[(n + 1) % agents.length]!,
          [user, item.agent(`m${n}`, agents[n % agents.length]!, `Answer ${n}`)],
          { reason: 'auto' },
        ),
      ).flat()
    expect(findingsOf(judge(start(), ...way(['plan', 'code'], 4), end()), 'handoff-cycle')).toHaveLength(1)
    expect(
      findingsOf(judge(start(), ...way(['plan', 'code', 'test'], 4), end()), 'handoff-cycle'),
    ).toHaveLength(1)
    expect(raised(judge(start(), ...way(['plan', 'code'], 2), end()))).not.toContain('handoff-cycle')
  })

  it('is silent for attempts of one handoff', () => {
    const attempts = [1, 2, 3, 4].map((attempt) =>
      sent('h1', 'lead', 'clerk', { brief: 'sum up', attempt, items_before: [user] }),
    )
    const analysis = judge(
      start(),
      ...attempts,
      received('h1', 'clerk', { items: [user], attempt: 4 }),
      end(),
    )
    expect(raised(analysis)).not.toContain('handoff-cycle')
  })
})
