import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'
import type * as Exporter from '@opentelemetry/exporter-trace-otlp-http'
import type * as Resources from '@opentelemetry/resources'
import type * as Sdk from '@opentelemetry/sdk-trace-base'

const load = createRequire(import.meta.url)

/** The packages of OpenTelemetry that sending spans needs; optional peers, loaded when they are asked for. */
export const peers = {
  api: () => needed<typeof Api>('@opentelemetry/api'),
  sdk: () => needed<typeof Sdk>('@opentelemetry/sdk-trace-base'),
  exporter: () => needed<typeof Exporter>('@opentelemetry/exporter-trace-otlp-http'),
  /** Comes with the SDK, wherever that has it. */
  resources: () =>
    createRequire(load.resolve('@opentelemetry/sdk-trace-base'))(
      '@opentelemetry/resources',
    ) as typeof Resources,
}

function needed<T>(name: string): T {
  try {
    return load(name) as T
  } catch (error) {
    throw new Error(
      `handspan/otel needs ${name}: npm install @opentelemetry/api@1 @opentelemetry/sdk-trace-base@2 ` +
        '@opentelemetry/exporter-trace-otlp-http@0.2',
      { cause: error },
    )
  }
}
