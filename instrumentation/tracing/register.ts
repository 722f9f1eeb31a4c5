import type { Resource } from '@opentelemetry/resources'
import { report, setPrivateTracing } from '../otel.ts'
import { readSettings } from '../settings.ts'
import { endOpenSpans } from '../spans.ts'
import { batchedExport, type SpanTarget } from './export-spans.ts'
import { peers } from './peers.ts'

/** Where the spans of handoffs go, and under what name. */
export type RegisterOptions = SpanTarget & {
  /** `service.name` of the spans. Default: OTEL_SERVICE_NAME, else what OpenTelemetry makes of the process. */
  service?: string
}

/** The provider of handspan's own. Neither method throws. */
export type Registration = {
  /** Resolves when all ended spans are sent, or given up after five seconds. */
  flush(): Promise<void>
  /** The same, and handoffs go to the program's own provider again, if it has one. May be called twice. */
  shutdown(): Promise<void>
}

/** How long a batch is tried; also the longest that the end of the process waits for it. */
const TIMEOUT_MS = 5_000

let registered: Registration | undefined

/**
 * Records a span for each side of a handoff and sends it, in a program that has no OpenTelemetry provider. The provider is
 * private: no other code gets it, and what the program registers later is untouched. It records every handoff, whatever
 * OTEL_TRACES_SAMPLER and OTEL_*_LIMIT say; OTEL_SDK_DISABLED=true turns it off. Throws if a package of OpenTelemetry is
 * not installed, or the address is none. A second call gives the first one's registration.
 */
export function register(options: RegisterOptions = {}): Registration {
  if (registered !== undefined) {
    report('warn', 'register() was called again: the options of the first call stay')
    return registered
  }
  const settings = readSettings({}, process.env, () => {})
  if (!settings.enabled) return { flush: async () => {}, shutdown: async () => {} }
  const { AlwaysOnSampler, BasicTracerProvider } = peers.sdk()
  const provider = new BasicTracerProvider({
    resource: resourceOf(options.service),
    sampler: new AlwaysOnSampler(),
    // Said here, or the limits of the environment would cut hashes and drop attributes.
    spanLimits: {
      attributeCountLimit: 128,
      attributeValueLengthLimit: Number.POSITIVE_INFINITY,
      eventCountLimit: 128,
      linkCountLimit: 128,
      attributePerEventCountLimit: 128,
      attributePerLinkCountLimit: 128,
    },
    spanProcessors: [batchedExport(options, TIMEOUT_MS, true)],
  })
  const flush = () => inTime(provider.forceFlush())
  setPrivateTracing({ api: peers.api(), tracer: provider.getTracer('handspan'), flush })
  const atExit = flushAtExit(flush)
  const registration = {
    flush,
    async shutdown() {
      if (registered !== registration) return
      registered = undefined
      atExit.cancel()
      endOpenSpans()
      setPrivateTracing(undefined)
      await inTime(provider.shutdown())
    },
  }
  registered = registration
  return registration
}

function resourceOf(service: string | undefined): Resource {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = peers.resources()
  const found = defaultResource().merge(detectResources({ detectors: [envDetector] }))
  return service === undefined ? found : found.merge(resourceFromAttributes({ 'service.name': service }))
}

/** A program that ends by itself sends what it still has: the processor's own timer does not keep it alive. */
function flushAtExit(flush: () => Promise<void>): { cancel: () => void } {
  const act = () => {
    endOpenSpans()
    // Sockets are in the background: only this timer, inside of it, keeps the process for as long as it may take.
    void flush()
  }
  process.once('beforeExit', act)
  return { cancel: () => process.off('beforeExit', act) }
}

/** Waits for a flush, and no longer than it may take. A failure is told to the diagnostic logger. */
async function inTime(flushing: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS)
  })
  try {
    await Promise.race([flushing, late])
  } catch (error) {
    report('warn', `spans were not sent: ${error instanceof Error ? error.message : typeof error}`)
  } finally {
    clearTimeout(timer)
  }
}
