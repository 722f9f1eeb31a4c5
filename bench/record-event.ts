import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Benchmark } from './benchmark.ts'
import { probe } from './children.ts'
import { figure, ratio } from './figures.ts'
import type { Cost, RecordCosts } from './record-event-probe.ts'

export const recordEvent: Benchmark = {
  name: 'record-event',
  about:
    'What one event of 1 KiB costs the agent that records it. When the call returns, the event is with the operating system: it survives the death of the process.',
  async run({ size, scratch }) {
    const directory = join(scratch, 'record-event')
    mkdirSync(directory, { recursive: true })
    const { value } = await probe<RecordCosts>('recordEvents', {
      directory,
      rounds: size === 'full' ? 100 : 5,
    })
    const { span, write } = value
    const row = (name: string, cost: Cost): string[] => [
      name,
      figure(cost.bytes),
      figure(cost.median),
      figure(cost.p99),
      ratio(cost.median, span.median),
      ratio(cost.median, write.median),
    ]
    return [
      {
        title: 'One event, redacted and on disk',
        columns: ['', 'bytes', 'median µs', 'p99 µs', 'to a span', 'to a write'],
        rows: [
          row('`run.message()`', value.message),
          row('`run.operation().sent()`', value.operation),
          row('OpenTelemetry span, ended, in memory', span),
          row('`fs.writeSync` of as many bytes', write),
        ],
        note: 'Budget: a median under 30 µs. The span goes through a BatchSpanProcessor to an exporter in memory; exporting is not counted, and a killed process loses it. The write is the physical limit. The four take turns.',
      },
    ]
  },
}
