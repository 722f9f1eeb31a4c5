import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCatalogue } from '../../queries/catalogue.ts'
import type { Metric } from '../../queries/metric.ts'
import { runMetric, SLICES, type Slice } from '../../queries/run-metric.ts'
import { analyse } from '../../replay/analyse.ts'
import { openStore, type Store } from '../../store/index.ts'
import { AGGREGATES, dayOf, groupBy, pairOf, type Row } from './expected.ts'
import type { Fact, Told } from './facts.ts'
import { tellStories } from './story.ts'

const catalogue = readCatalogue()
const metricOf = (name: string) => catalogue.find((metric) => metric.name === name)!
const RUNS = 25

type Window = { since?: number | undefined; until?: number | undefined }

async function withStories<T>(seed: number, act: (store: Store, told: Told) => Promise<T>): Promise<T> {
  const told = tellStories(seed, RUNS)
  const directory = mkdtempSync(join(tmpdir(), 'handspan-metrics-'))
  const store = await openStore(directory)
  try {
    const { Readable } = await import('node:stream')
    await store.importStream(Readable.from(told.events.map((event) => `${JSON.stringify(event)}\n`)))
    return await act(store, told)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true })
  }
}

function ask(store: Store, metric: Metric, { since, until }: Window, by: Slice | undefined) {
  const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
  return runMetric(store, metric, {
    since: iso(since),
    until: iso(until),
    by,
    limit: 10_000,
    timeoutMs: 60_000,
  })
}

function within<T>(list: readonly T[], { since, until }: Window, timeOf: (one: T) => number): T[] {
  return list.filter((one) => timeOf(one) >= (since ?? -Infinity) && timeOf(one) < (until ?? Infinity))
}

function sliceOf(fact: Fact, by: Slice | undefined, side: Metric['agent']): string {
  switch (by) {
    case undefined:
      return 'all'
    case 'pair':
      return pairOf(fact)
    case 'agent':
      return side === 'sender' ? fact.from : fact.to
    case 'day':
      return dayOf(fact.sentAt)
    default:
      return fact[by] ?? '(not named)'
  }
}

const bySlice = (a: Row, b: Row) => (String(a.slice) < String(b.slice) ? -1 : 1)

/** Numbers to 9 digits: sums in another order differ in the last ones. Where several texts may stand, any of them. */
function agree(given: Row[], wanted: Row[], what: string): void {
  expect(
    given.map((row) => row.slice),
    what,
  ).toEqual(wanted.map((row) => row.slice))
  for (const [index, row] of given.entries()) {
    const want = wanted[index]!
    expect(Object.keys(row).sort(), what).toEqual(Object.keys(want).sort())
    for (const [name, value] of Object.entries(row)) {
      const about = `${what}, ${row.slice}, ${name}`
      if (Array.isArray(want[name])) expect(want[name], about).toContain(value)
      else if (typeof want[name] === 'number') expect(value, about).toBeCloseTo(want[name], 9)
      else expect(value, about).toEqual(want[name])
    }
  }
}

describe('every metric', () => {
  it('says what is true of stories whose every fact is known, in each slice and window', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), (seed) =>
        withStories(seed, async (store, told) => {
          const times = told.facts.map(({ sentAt }) => sentAt).sort((a, b) => a - b)
          const windows = [{}, { since: times[times.length >> 2] }, { until: times[times.length >> 1] }]
          for (const [name, aggregate] of Object.entries(AGGREGATES)) {
            const metric = metricOf(name)
            for (const window of windows) {
              for (const by of [undefined, ...SLICES]) {
                const facts = within(told.facts, window, ({ sentAt }) => sentAt)
                const wanted = [...groupBy(facts, (fact) => sliceOf(fact, by, metric.agent))].flatMap(
                  ([slice, list]) => {
                    const row = aggregate(list, told)
                    return row === undefined ? [] : [{ slice, ...row }]
                  },
                )
                const { rows } = await ask(store, metric, window, by)
                agree(
                  [...rows].sort(bySlice),
                  wanted.sort(bySlice),
                  `${name} by ${by ?? 'nothing'}, seed ${seed}`,
                )
              }
            }
          }
        }),
      ),
      { numRuns: 2 },
    )
  }, 300_000)
})

describe('the stories', () => {
  it('hold every case that a metric tells apart, so that no column is compared only with nothing', () => {
    const told = tellStories(7, 300)
    const empty = Object.entries(AGGREGATES).flatMap(([name, aggregate]) =>
      Object.entries(aggregate(told.facts, told) ?? {}).flatMap(([column, value]) =>
        value ? [] : [`${name} ${column}`],
      ),
    )
    expect(empty).toEqual(NEVER)
  })
})

/** Told apart by the metric and by no story: other modes, other item types, broken rules, look-ups by
 * details, receipts without a payload, clocks that differ. */
const NEVER = [
  'handoffs returns',
  'handoffs others',
  'handoffs skewed',
  'settle-before-plan by_details',
  'constraint-retention not_followed',
  'constraint-retention not_in_state',
  'constraint-retention not_judged',
  'approvals-preserved skewed',
  'context-size dropped_messages',
  'context-size dropped_reasoning',
  'context-size dropped_others',
  'time-to-first-correct-action skewed',
]

describe('key-drift', () => {
  it('lists each field of each pair, how often it crossed, and whether it came or went', async () => {
    await withStories(4711, async (store, { facts }) => {
      const { rows } = await ask(store, metricOf('key-drift'), {}, undefined)
      const wanted = [
        ...groupBy(
          facts.filter(({ deliveries }) => deliveries > 0),
          pairOf,
        ),
      ].flatMap(([pair, list]) => {
        const fields = groupBy(
          list.flatMap((fact) => fieldsOf(fact).map((field) => ({ field, at: fact.sentAt }))),
          ({ field }) => field,
        )
        const [first, last] = bounds(list.map(({ sentAt }) => sentAt))
        return [...fields].map(([field, seen]) => {
          const [from, to] = bounds(seen.map(({ at }) => at))
          return {
            slice: 'all',
            value: seen.length / list.length,
            pair,
            field,
            change: changeOf(seen.length === list.length, from > first, to < last),
            handoffs: seen.length,
            first_seen: iso(from),
            last_seen: iso(to),
          }
        })
      })
      const order = (row: Row) => `${row.pair} ${row.field}`
      const sorted = (list: Row[]) => [...list].sort((a, b) => (order(a) < order(b) ? -1 : 1))
      expect(new Set(rows.map(({ change }) => change)).size).toBeGreaterThan(2)
      agree(sorted(rows), sorted(wanted), 'key-drift')
    })
  })
})

function fieldsOf(fact: Fact): string[] {
  return [
    'items',
    ...(fact.instructions ? ['instructions'] : []),
    ...(fact.recordBytes === undefined ? [] : ['record']),
    ...fact.recordFields.map((field) => `record.${field}`),
  ]
}

function changeOf(always: boolean, came: boolean, went: boolean): string {
  if (always) return 'stays'
  if (came && !went) return 'appeared'
  return went && !came ? 'vanished' : 'now and then'
}

function bounds(times: readonly number[]): [number, number] {
  return [Math.min(...times), Math.max(...times)]
}

/** As the store writes times: without zeros at the end of the fraction. */
function iso(at: number): string {
  return new Date(at).toISOString().replace(/\.?0+Z$/, 'Z')
}

describe('findings', () => {
  it('counts what the checks say, and knows what was there before the window', async () => {
    await withStories(99, async (store, told) => {
      const analyses = [...groupBy(told.events, ({ run }) => String(run)).values()].map((events) =>
        analyse(events as never),
      )
      const sentAt = new Map(
        told.facts.map((fact) => [`${fact.run} ${fact.handoff} ${fact.attempt}`, fact.sentAt]),
      )
      const found = analyses.flatMap(({ run, findings }) =>
        findings.map((finding) => ({
          ...finding,
          at: sentAt.get(`${run.id} ${finding.handoff} ${finding.attempt}`) ?? Date.parse(run.startedAt!),
        })),
      )
      const [first, last] = bounds(found.map(({ at }) => at))
      const since = Math.floor((first + last) / 2)
      const before = new Set(found.filter(({ at }) => at < since).map(({ fingerprint }) => fingerprint))
      for (const window of [{}, { since }]) {
        const groups = groupBy(
          within(found, window, ({ at }) => at),
          ({ check, severity }) => `${check} ${severity}`,
        )
        const wanted = [...groups.values()].map((list) => {
          const faults = new Set(list.map(({ fingerprint }) => fingerprint))
          return {
            slice: 'all',
            value: list.length,
            check_id: list[0]!.check,
            severity: list[0]!.severity,
            runs: new Set(list.map(({ run }) => run)).size,
            handoffs: new Set(
              list.filter(({ handoff }) => handoff).map(({ run, handoff }) => `${run} ${handoff}`),
            ).size,
            faults: faults.size,
            new:
              window.since === undefined
                ? faults.size
                : [...faults].filter((fault) => !before.has(fault)).length,
          }
        })
        const { rows } = await ask(store, metricOf('findings'), window, undefined)
        const order = (row: Row) => `${row.check_id} ${row.severity}`
        const sorted = (list: Row[]) => [...list].sort((a, b) => (order(a) < order(b) ? -1 : 1))
        expect(wanted.length).toBeGreaterThan(3)
        agree(sorted(rows), sorted(wanted), 'findings')
      }
    })
  })
})
