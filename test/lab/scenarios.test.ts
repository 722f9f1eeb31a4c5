import { beforeAll, describe, expect, test } from 'vitest'
import { SCENARIOS, type ScenarioOutcome, type Variant } from '../../lab/index.ts'
import { isKind, type RunEvent } from '../../model/run-log.ts'
import { analyse, checks } from '../../replay/index.ts'
import { capture, eventsOf } from './capture.ts'

const VARIANTS: Variant[] = ['faulty', 'sound']

let outcomes: ScenarioOutcome[]
let events: RunEvent[]

beforeAll(async () => {
  const captured = await capture(async (handspan) => {
    const played: ScenarioOutcome[] = []
    for (const scenario of SCENARIOS) {
      for (const variant of VARIANTS) played.push(await scenario.run({ handspan, variant }))
    }
    return played
  })
  outcomes = captured.result
  events = captured.events
})

function outcome(scenario: string, variant: Variant): ScenarioOutcome {
  return outcomes.find((each) => each.scenario === scenario && each.variant === variant)!
}

function diffOf(scenario: string, variant: Variant) {
  const { diffs } = analyse(eventsOf(events, outcome(scenario, variant).run))
  expect(diffs).toHaveLength(1)
  return diffs[0]!
}

/** What each fault must raise, by the definitions of the checks. */
const RAISES: Record<string, string[]> = {
  'strangers-reservation': ['settled-by-details'],
  'webhook-origin': ['origin-lost'],
  'pending-approval': ['approval-pending-lost', 'write-without-approval'],
  'retry-under-a-new-key': ['not-settled-before-planning', 'retry-new-key', 'side-effect-repeated'],
  'broken-rule': ['constraint-violated'],
}

describe('what the checks say', () => {
  const known = new Set(checks.map(({ id }) => id))

  test.each(SCENARIOS)('$id: the fault is found, and the sound telling raises nothing', ({ id }) => {
    const findings = (variant: Variant) => analyse(eventsOf(events, outcome(id, variant).run)).findings
    const found = findings('faulty').map(({ check }) => check)
    expect(found).toEqual(expect.arrayContaining(RAISES[id]!.filter((check) => known.has(check))))
    expect(findings('sound')).toEqual([])
  })
})

describe("a stranger's reservation", () => {
  test('by details it is adopted as the order’s own; by key the order gets its own', () => {
    expect(outcome('strangers-reservation', 'faulty')).toMatchObject({ invoiced: ['R-1'], effects: 1 })
    expect(outcome('strangers-reservation', 'sound')).toMatchObject({ invoiced: ['R-2'], effects: 1 })
  })

  test('the diff tells the one from the other', () => {
    const [faulty] = diffOf('strangers-reservation', 'faulty').operations
    expect(faulty).toMatchObject({ degree: 'carried', timings: { delayed: "adopts a stranger's result" } })
    const [sound] = diffOf('strangers-reservation', 'sound').operations
    expect(sound).toMatchObject({ degree: 'carried', timings: { landed: 'safe', delayed: 'safe' } })
  })
})

describe('a webhook that starts the task', () => {
  test('without its origin the invoice goes out; with it a person is asked', () => {
    expect(outcome('webhook-origin', 'faulty').invoiced).toEqual(['R-1'])
    expect(outcome('webhook-origin', 'sound').invoiced).toEqual([])
    const asked = eventsOf(events, outcome('webhook-origin', 'sound').run).filter((event) =>
      isKind(event, 'approval'),
    )
    expect(asked).toMatchObject([{ agent: 'billing', action: 'send_invoice', state: 'pending' }])
  })

  test('the diff says that the origin was lost, or the same', () => {
    expect(diffOf('webhook-origin', 'faulty').origin.verdict).toBe('absent')
    expect(diffOf('webhook-origin', 'sound').origin).toMatchObject({
      verdict: 'same',
      received: { kind: 'system', id: 'webhook:warehouse' },
    })
  })
})

describe('an approval that is pending at the handoff', () => {
  test('the invoice goes out before the answer, or not at all', () => {
    expect(outcome('pending-approval', 'faulty').invoiced).toEqual(['R-1'])
    expect(outcome('pending-approval', 'sound').invoiced).toEqual([])
  })

  test('the answer goes to whoever waits for it, under the id of the question', () => {
    for (const [variant, to] of [
      ['faulty', 'orders'],
      ['sound', 'billing'],
    ] as const) {
      const answers = eventsOf(events, outcome('pending-approval', variant).run).filter((event) =>
        isKind(event, 'approval'),
      )
      expect(answers).toMatchObject([{ state: 'pending' }, { state: 'rejected', delivered_to: to }])
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    }
  })

  test('the diff says that it is absent, or the same', () => {
    expect(diffOf('pending-approval', 'faulty').approvals).toMatchObject([{ verdict: 'absent' }])
    expect(diffOf('pending-approval', 'sound').approvals).toMatchObject([{ verdict: 'same' }])
  })
})

describe('a retry under a new key', () => {
  test('under a new key there are two reservations, under the old one there is one', () => {
    expect(outcome('retry-under-a-new-key', 'faulty').effects).toBe(2)
    expect(outcome('retry-under-a-new-key', 'sound').effects).toBe(1)
  })

  test('the diff says that the key was left open, or settled by the reply', () => {
    const faulty = diffOf('retry-under-a-new-key', 'faulty')
    expect(faulty.operations[0]).toMatchObject({
      degree: 'carried',
      timings: { delayed: 'repeats the effect' },
    })
    expect(faulty.settling).toMatchObject([{ order: 'not settled' }])
    const sound = diffOf('retry-under-a-new-key', 'sound')
    expect(sound.operations[0]).toMatchObject({ timings: { landed: 'safe', delayed: 'safe' } })
    expect(sound.settling).toMatchObject([{ order: 'before planning', how: 'reply' }])
  })

  test('the diff says that the effect is repeated although the request had landed', () => {
    const [faulty] = diffOf('retry-under-a-new-key', 'faulty').operations
    expect(faulty?.timings?.landed).toBe('repeats the effect')
  })
})

describe('a rule that is carried and broken', () => {
  test('the invoice names a reservation only where the receiver kept the rule', () => {
    expect(outcome('broken-rule', 'faulty').invoiced).toEqual(['to follow'])
    expect(outcome('broken-rule', 'sound').invoiced).toEqual(['R-1'])
  })

  test('the rule crossed both times; only once it was not followed', () => {
    expect(diffOf('broken-rule', 'faulty').constraints).toMatchObject([
      { degree: 'same', attribution: 'carried, not followed' },
    ])
    expect(diffOf('broken-rule', 'sound').constraints).toMatchObject([
      { degree: 'same', attribution: 'carried' },
    ])
  })
})
