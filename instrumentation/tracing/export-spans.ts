import type { Agent } from 'node:http'
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { readTarget } from '../sending/target.ts'
import { peers } from './peers.ts'

/** Where spans go. */
export type SpanTarget = {
  /**
   * Address of the server, `/v1/traces` comes after it. Default: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, else
   * OTEL_EXPORTER_OTLP_ENDPOINT, else http://127.0.0.1:4318.
   */
  url?: string
  /** Sent as `Authorization: Bearer`. Default: HANDSPAN_TOKEN. */
  token?: string
  /** Further headers of each request. */
  headers?: Record<string, string>
}

/*
 * Measured with the exporter's and the processor's defaults: of 10,000 spans that end in one tick 7,440 are dropped by a
 * full queue, without a word; and with a larger queue more than 30 batches under way are refused and lost. So a queue for
 * what one tick can bring, and room under way for all of its batches.
 */
const QUEUE = 65_536
const BATCH = 2_048
const UNDER_WAY = QUEUE / BATCH + 1

/** A batch processor over an OTLP/HTTP exporter. `timeoutMs`: how long one batch is tried, with the exporter's own repetitions. */
export function batchedExport(target: SpanTarget, timeoutMs: number, background: boolean): SpanProcessor {
  const { BatchSpanProcessor } = peers.sdk()
  return new BatchSpanProcessor(openExporter(target, timeoutMs, background), {
    maxQueueSize: QUEUE,
    maxExportBatchSize: BATCH,
    exportTimeoutMillis: timeoutMs,
    scheduledDelayMillis: 1_000,
  })
}

function openExporter(target: SpanTarget, timeoutMs: number, background: boolean): SpanExporter {
  const { OTLPTraceExporter } = peers.exporter()
  const { url, headers } = readTarget(target, process.env, 'traces')
  return new OTLPTraceExporter({
    url: url.href,
    headers: { ...headers, ...target.headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit: UNDER_WAY,
    compression: 'gzip' as never,
    ...(background ? { httpAgentOptions: backgroundAgent } : {}),
  })
}

/** An agent whose sockets do not keep the process alive. */
async function backgroundAgent(protocol: string): Promise<Agent> {
  const { Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent = new Agent({ keepAlive: true })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...given: Parameters<typeof connect>) => {
    const socket = connect(...given)
    ;(socket as { unref?: () => void } | undefined)?.unref?.()
    return socket
  }
  return agent
}
