import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { start } from '../instrumentation/index.ts'
import { median, percentile } from './figures.ts'

/** Microseconds an event. */
export type Cost = { median: number; p99: number; bytes: number }
export type RecordCosts = { message: Cost; operation: Cost; span: Cost; write: Cost }

const ROUND = 250

/** Records events of 1 KiB in every way, in turn, `rounds` times 250 each; the first fifth is for warming up. */
export async function recordEvents(input: { directory: string; rounds: number }): Promise<RecordCosts> {
  const handspan = start({ directory: input.directory })
  const run = handspan.startRun({ id: 'bench' })
  const exporter = new InMemorySpanExporter()
  // The queue is never full, so no span is dropped; exporting happens between the rounds and is not counted.
  const processor = new BatchSpanProcessor(exporter, { maxQueueSize: 8 * ROUND })
  const tracer = new NodeTracerProvider({ spanProcessors: [processor] }).getTracer('bench')
  const file = openSync(
    join(input.directory, 'plain.jsonl'),
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
  )

  const content = filler(820)
  const note = filler(690)
  const line = Buffer.from(`${filler(1023)}\n`)
  const before = handspan.counters().bytes
  run.message({ agent: 'orders', role: 'assistant', content })
  const between = handspan.counters().bytes
  const operation = () =>
    run.operation({
      tool: 'reserve_stock',
      agent: 'orders',
      key: 'order-4711:reserve',
      args: { sku: 'A-7', count: 40, note },
    })
  operation().sent()
  const sizes = { message: between - before, operation: handspan.counters().bytes - between }

  const acts: Record<keyof RecordCosts, () => void> = {
    message: () => run.message({ agent: 'orders', role: 'assistant', content }),
    // The same operation sent again and again: one line, as of every transition.
    operation: () => operation().sent(),
    span: () =>
      tracer
        .startSpan('operation', {
          attributes: {
            run: 'bench',
            agent: 'orders',
            tool: 'reserve_stock',
            key: 'order-4711:reserve',
            effect: 'write',
            state: 'sent',
            sku: 'A-7',
            count: 40,
            note,
          },
        })
        .end(),
    write: () => writeSync(file, line),
  }
  const times: Record<string, number[]> = { message: [], operation: [], span: [], write: [] }
  for (let round = 0; round < input.rounds; round++) {
    for (const [name, act] of Object.entries(acts)) {
      const measured = timed(act)
      if (round >= input.rounds / 5) times[name]!.push(...measured)
    }
    await processor.forceFlush()
    exporter.reset()
  }
  closeSync(file)
  await handspan.shutdown()
  const cost = (name: string, bytes: number): Cost => ({
    median: median(times[name]!),
    p99: percentile(times[name]!, 0.99),
    bytes,
  })
  return {
    message: cost('message', sizes.message),
    operation: cost('operation', sizes.operation),
    span: cost('span', Buffer.byteLength(note)),
    write: cost('write', line.length),
  }
}

function timed(act: () => void): number[] {
  return Array.from({ length: ROUND }, () => {
    const started = performance.now()
    act()
    return (performance.now() - started) * 1000
  })
}

function filler(length: number): string {
  return 'the order waits for stock in the second warehouse '.repeat(25).slice(0, length)
}
