import type { Benchmark } from './benchmark.ts'
import type { ChecksInput, Rates } from './checks-probe.ts'
import { probe } from './children.ts'
import { figure } from './figures.ts'

export const checks: Benchmark = {
  name: 'checks',
  about:
    'What the checks find, and what they say where there is nothing: runs made with one known fault, and ordinary runs of a sound runtime.',
  async run({ size }) {
    const input: ChecksInput = size === 'full' ? { clean: 10_000, each: 25 } : { clean: 5, each: 1 }
    const { value } = await probe<Rates>('checkRates', input)
    const { rates, runs, events, alarms, ids } = value
    const faulty = rates.reduce((sum, rate) => sum + rate.runs, 0)
    const raised = rates.reduce((sum, rate) => sum + rate.raised, 0)
    return [
      {
        title: 'Ordinary runs',
        columns: ['runs', 'events', 'runs that raise anything', 'ids raised'],
        rows: [[figure(runs), figure(events), figure(alarms), told(ids)]],
        note: 'Several agents that read, write, retry, ask for a yes, promise, transfer, delegate, escalate, review and are resumed, from one process or several with clocks that differ, in the item forms of many runtimes. Each finding would be a false alarm.',
      },
      {
        title: 'Runs with one fault',
        columns: ['check', 'forms of the fault', 'runs', 'raised', 'rate'],
        rows: [
          ...rates,
          { check: 'all', forms: total(rates.map(({ forms }) => forms)), runs: faulty, raised },
        ].map((rate) => [
          rate.check,
          figure(rate.forms),
          figure(rate.runs),
          figure(rate.raised),
          `${((100 * rate.raised) / rate.runs).toFixed(1)} %`,
        ]),
        note: 'The faults are those of test/generators/faults, each at a random place of an ordinary run.',
      },
    ]
  },
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function told(ids: Readonly<Record<string, number>>): string {
  const names = Object.entries(ids).map(([check, count]) => `${check} ${count}`)
  return names.length === 0 ? '-' : names.join(', ')
}
