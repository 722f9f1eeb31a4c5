import type { Benchmark, Place, Table } from './benchmark.ts'
import { probe } from './children.ts'
import { figure, megabytes, ratio } from './figures.ts'
import type { DecodeCosts, ServeRates } from './otlp-probe.ts'

export const otlp: Benchmark = {
  name: 'otlp',
  about:
    'What reading OpenTelemetry costs `handspan serve`, and how much it takes in over loopback when every request is on disk before it is answered.',
  async run(place) {
    return [await decoding(place), await serving(place)]
  },
}

async function decoding({ size, scratch }: Place): Promise<Table> {
  const full = size === 'full'
  const measured = []
  for (const spans of full ? [512, 10_000] : [50]) {
    measured.push(
      await probe<DecodeCosts>('decodeCosts', { scratch, spans, rounds: full ? (spans > 1000 ? 5 : 50) : 2 }),
    )
  }
  return {
    title: 'One trace export, decoded',
    columns: ['spans', '', 'bytes', 'ms', 'spans/s', 'to JSON.parse', 'to the write', 'peak memory'],
    rows: measured.flatMap(({ value, peak }) => {
      const row = (name: string, bytes: number, ms: number): string[] => [
        figure(value.spans),
        name,
        megabytes(bytes),
        figure(ms),
        figure(value.spans / (ms / 1000)),
        ratio(ms, value.parse),
        ratio(ms, value.write),
        megabytes(peak),
      ]
      return [
        row('protobuf to spans', value.protoBytes, value.proto),
        row('JSON to spans', value.jsonBytes, value.json),
        row('protobuf to lines of the spool', value.protoBytes, value.lines),
        row('`JSON.parse` of the JSON', value.jsonBytes, value.parse),
        row('writing the protobuf, fdatasync', value.protoBytes, value.write),
      ]
    }),
    note: 'Spans of 24 attributes, an event and a link, encoded by OpenTelemetry. Spans are made one at a time and let go, as the server does. The five take turns in one process, whose peak memory holds the export in both encodings.',
  }
}

async function serving({ size, scratch, product }: Place): Promise<Table> {
  const full = size === 'full'
  const shapes = full
    ? [
        { senders: 1, batch: 1, gzip: false },
        { senders: 16, batch: 1, gzip: false },
        { senders: 1, batch: 100, gzip: false },
        { senders: 16, batch: 100, gzip: false },
        { senders: 16, batch: 100, gzip: true },
      ]
    : [{ senders: 2, batch: 2, gzip: false }]
  const rates: ServeRates[] = []
  for (const shape of shapes) {
    rates.push(
      (await probe<ServeRates>('serveRates', { ...shape, product, scratch, ms: full ? 5000 : 300 })).value,
    )
  }
  const first = rates[0]!
  return {
    title: 'Requests taken in by `handspan serve`',
    columns: [
      'senders',
      'events a request',
      'requests/s',
      'events/s',
      'waits for the disk/s',
      'to the first',
    ],
    rows: rates.map(({ senders, batch, gzip, requests, events, syncs }) => [
      figure(senders),
      `${figure(batch)}${gzip ? ', gzip' : ''}`,
      figure(requests),
      figure(events),
      figure(syncs),
      ratio(events, first.events),
    ]),
    note: 'Run-log events of 0.7 KB as JSON log records. Each sender waits for its answer before it sends again; requests that come at the same time share one fdatasync. The server fills its database meanwhile, and the senders run on the same machine.',
  }
}
