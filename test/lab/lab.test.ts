import { beforeAll, describe, expect, test } from 'vitest'
import { type LabOutcome, labTable, STYLES, type Style, TIMINGS } from '../../lab/index.ts'
import { type EventOf, isKind, type RunEvent } from '../../model/run-log.ts'
import { analyse } from '../../replay/index.ts'
import { capture, eventsOf } from './capture.ts'

let rows: LabOutcome[]
let events: RunEvent[]
let lost: number

beforeAll(async () => {
  ;({ result: rows, events, lost } = await capture(labTable))
})

const wordsOnly = STYLES.filter((style) => style !== 'record')
const cells = STYLES.flatMap((style) => TIMINGS.map((timing) => ({ style, timing })))

function row(style: Style, timing: LabOutcome['timing']): LabOutcome {
  return rows.find((each) => each.style === style && each.timing === timing)!
}

function received(outcome: LabOutcome): EventOf<'handoff.received'> {
  return eventsOf(events, outcome.run).find((event) => isKind(event, 'handoff.received'))!
}

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : new TextEncoder().encode(JSON.stringify(value)).length
}

describe('the shape of the table', () => {
  test('six styles under two timings, each a run of its own, nothing lost on the way to disk', () => {
    expect(rows.map(({ style, timing }) => ({ style, timing }))).toEqual(cells)
    expect(cells).toHaveLength(12)
    expect(new Set(rows.map(({ run }) => run)).size).toBe(12)
    expect(lost).toBe(0)
    for (const { run, handoff } of rows) {
      const own = eventsOf(events, run)
      expect(own.at(0)?.kind).toBe('run.start')
      expect(own.at(-1)?.kind).toBe('run.end')
      expect(own.filter((event) => event.handoff === handoff).map(({ kind }) => kind)).toEqual([
        'handoff.sent',
        'handoff.received',
        'handoff.accepted',
      ])
    }
  })

  test.each(wordsOnly)('%s makes a second effect under at least one timing', (style) => {
    const effects = TIMINGS.map((timing) => row(style, timing).effects)
    expect(Math.max(...effects)).toBe(2)
  })

  test('only the brief without the mention makes a second effect under both', () => {
    const twice = wordsOnly.filter((style) => TIMINGS.every((timing) => row(style, timing).effects === 2))
    expect(twice).toEqual(['brief-silent'])
  })

  test('only the last pair loses the obligation', () => {
    const lost = rows.filter(({ obligationKept }) => !obligationKept).map(({ style }) => style)
    expect(lost).toEqual(['last-pair', 'last-pair'])
  })

  test('the record makes one effect under both, and the late request is refused', () => {
    expect(TIMINGS.map((timing) => row('record', timing).effects)).toEqual([1, 1])
    expect(rows.filter(({ lateRequestRefused }) => lateRequestRefused)).toEqual([row('record', 'delayed')])
  })

  test('the record has the smallest words, and only it has a record', () => {
    for (const timing of TIMINGS) {
      const others = wordsOnly.map((style) => row(style, timing))
      expect(Math.min(...others.map(({ wordsBytes }) => wordsBytes))).toBeGreaterThan(
        row('record', timing).wordsBytes,
      )
      expect(others.every(({ recordBytes }) => recordBytes === 0)).toBe(true)
      expect(row('record', timing).recordBytes).toBeGreaterThan(0)
    }
  })
})

describe('what the table rests on', () => {
  test.each(cells)('$style, $timing: sizes are those of what the receiver got', ({ style, timing }) => {
    const outcome = row(style, timing)
    const { items, record } = received(outcome)
    expect(outcome.wordsBytes).toBe(jsonBytes(items))
    expect(outcome.recordBytes).toBe(jsonBytes(record))
    expect(outcome.wordsTokens.tokens).toBeGreaterThan(0)
    expect(outcome.wordsTokens.method).toBe('o200k_base')
  })

  test.each(cells)('$style, $timing: no key is in the words', ({ style, timing }) => {
    const own = eventsOf(events, row(style, timing).run)
    const keys = own.flatMap((event) => (isKind(event, 'operation') && event.key ? [event.key] : []))
    expect(keys.length).toBeGreaterThan(0)
    const words = own.flatMap((event) =>
      isKind(event, 'handoff.received') || isKind(event, 'model.input') ? [event.items] : [],
    )
    for (const key of keys) expect(JSON.stringify(words)).not.toContain(key)
  })

  test('the bulky answer to a read makes up more than half of the full transcript', () => {
    const sizes = received(row('full', 'landed')).items!.map(jsonBytes)
    expect(Math.max(...sizes)).toBeGreaterThan(row('full', 'landed').wordsBytes / 2)
    expect(Math.max(...sizes)).toBeLessThan(1_300)
  })

  test.each(cells)('$style, $timing: the first request took effect unless it was refused', (cell) => {
    const outcome = row(cell.style, cell.timing)
    const own = eventsOf(events, outcome.run)
    const first = own.find((event) => isKind(event, 'operation') && event.tool === 'reserve_stock')
    const truths = own.flatMap((event) => (isKind(event, 'truth') ? [[event.op, event.state]] : []))
    expect(truths).toEqual([[first?.op, outcome.lateRequestRefused ? 'failed' : 'settled']])
  })

  test('the same again, but for ids and times', async () => {
    const again = await capture(labTable)
    expect(again.result.map(withoutIds)).toEqual(rows.map(withoutIds))
    expect(comparable(again.events)).toEqual(comparable(events))
  })
})

describe('what the analysis says of the runs', () => {
  // Adopting by details found the order's own reservation here: there is no stranger in these runs.
  const EFFECTS = { safe: 1, "adopts a stranger's result": 1, 'repeats the effect': 2, unknown: undefined }

  function verdictIsWhatHappened({ style, timing }: (typeof cells)[number]): void {
    const outcome = row(style, timing)
    const [diff] = analyse(eventsOf(events, outcome.run)).diffs
    const verdict = diff!.operations[0]!.timings![timing]
    expect(EFFECTS[verdict], `${outcome.run} says: ${verdict}`).toBe(outcome.effects)
  }

  function nobodyIsBlamed({ style, timing }: (typeof cells)[number]): void {
    const [diff] = analyse(eventsOf(events, row(style, timing).run)).diffs
    const attribution = style === 'record' ? 'carried' : 'dropped at the handoff'
    expect(diff!.constraints.map((each) => each.attribution)).toEqual([attribution])
  }

  test.each(cells)('$style, $timing: its verdict is what happened', verdictIsWhatHappened)

  test.each(cells)('$style, $timing: the rule is blamed on nobody who kept it', nobodyIsBlamed)

  test('the key is missing in every style but the record', () => {
    for (const outcome of rows) {
      const { findings } = analyse(eventsOf(events, outcome.run))
      const found = findings.some(({ check }) => check === 'op-in-doubt-key-missing')
      expect(found, outcome.style).toBe(outcome.style !== 'record')
    }
  })

  test('nothing is found in the runs that carry the record', () => {
    for (const { style, run } of rows) {
      if (style === 'record') expect(analyse(eventsOf(events, run)).findings).toEqual([])
    }
  })

  test('the sizes of the diff are the sizes of the table', () => {
    for (const outcome of rows) {
      const { sizes } = analyse(eventsOf(events, outcome.run)).diffs[0]!
      expect(sizes.items?.bytes).toBe(outcome.wordsBytes)
      expect(sizes.record?.bytes ?? 0).toBe(outcome.recordBytes)
    }
  })
})

function withoutIds({ run, handoff, ...rest }: LabOutcome): Omit<LabOutcome, 'run' | 'handoff'> {
  return rest
}

/** Events without times, and with every id replaced by the order of its first appearance. */
function comparable(log: RunEvent[]): unknown {
  const seen = new Map<string, string>()
  const text = JSON.stringify(log.map(({ at, writer, process, ...rest }) => rest))
  return JSON.parse(
    text.replace(/\b(?:op|h)-[0-9a-z]{10}\b|\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => {
      if (!seen.has(id)) seen.set(id, `id-${seen.size}`)
      return seen.get(id)!
    }),
  )
}
