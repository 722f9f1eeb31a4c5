import type { AnalyseInput, Phases } from './analyse-probe.ts'
import type { Benchmark } from './benchmark.ts'
import { probe } from './children.ts'
import { figure, megabytes, ratio } from './figures.ts'

export const analyse: Benchmark = {
  name: 'analyse',
  about: 'One run folded, its handoffs diffed, and all checks asked, without a database.',
  async run({ size }) {
    const full = size === 'full'
    const rounds = full ? 9 : 1
    const measure = async (name: string, input: Omit<AnalyseInput, 'rounds'>) => ({
      name,
      events: input.shape.events,
      ...(await probe<Phases>('analysePhases', { ...input, rounds })).value,
    })
    const shape = (events: number, eventsPerHandoff = 80) => ({
      run: 'bench',
      seed: 7,
      events,
      eventsPerHandoff,
    })
    const lengths = full ? [100, 1000, 10_000] : [100, 200]
    const grown: Awaited<ReturnType<typeof measure>>[] = []
    for (const events of lengths)
      grown.push(await measure(`${figure(events)} events`, { shape: shape(events) }))
    const longestName = `${figure(lengths.at(-1)!)} events`
    const handoffs = full ? 500 : 5
    const special = [
      await measure(`${longestName}, a handoff in 500`, { shape: shape(lengths.at(-1)!, 500) }),
      await measure(`${handoffs} handoffs of 20 items`, { shape: shape(handoffs * 10 + 10, 10) }),
      await measure(`a payload of ${full ? '5 MB' : '50 kB'}`, {
        shape: shape(200),
        payload: full ? 5_000_000 : 50_000,
      }),
    ]
    const longest = grown.at(-1)!
    return [
      {
        title: 'Runs',
        columns: [
          'run',
          'JSON',
          'handoffs',
          'fold ms',
          'diff ms',
          'checks ms',
          'whole ms',
          'JSON.parse ms',
          'to parse',
          'to parse and write',
          'first ms',
          'fastest ms',
          'µs an event',
          'growth',
        ],
        rows: [...grown, ...special].map((one, index) => [
          one.name,
          megabytes(one.bytes),
          figure(one.handoffs),
          figure(one.fold),
          figure(one.diff),
          figure(one.check),
          figure(one.whole),
          figure(one.parse),
          ratio(one.whole, one.parse),
          ratio(one.whole, one.parse + one.write),
          figure(one.first),
          figure(one.fastest),
          figure((1000 * one.whole) / one.events),
          index === 0 || index >= grown.length ? '' : ratio(one.whole, grown[index - 1]!.whole),
        ]),
        note: 'Budget: 10,000 events under 200 ms. Medians in a warm process; `first` is the first time in a fresh one, with nothing compiled yet; `fastest` is what other work disturbs least. `to parse` is to JSON.parse of the same bytes, `to parse and write` to that and JSON.stringify of the same values, which is the least that reading and measuring them takes. `growth` is to the row above: 10x is linear. One handoff in 80 events, each with the latest 20 items and the record that the instrumentation would build: every completed effect so far, so the run itself grows faster than its number of events.',
      },
      {
        title: `The ten slowest checks at ${longest.name}`,
        columns: ['check', 'ms', 'share of the whole'],
        rows: longest.checks
          .slice(0, 10)
          .map(({ id, ms }) => [id, figure(ms), `${figure((100 * ms) / longest.whole)} %`]),
        note: 'What several checks need is worked out by the first that asks for it.',
      },
    ]
  },
}
