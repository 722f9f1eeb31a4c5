import type { Target } from './post.ts'

type Environment = Record<string, string | undefined>

/** Where the collector of this machine listens. */
const DEFAULT_URL = 'http://127.0.0.1:4318'

/** What is sent: it names the path, and OpenTelemetry's variables for it. */
export type Signal = 'logs' | 'traces'

/**
 * Where to send, with what token: what is given, else OpenTelemetry's variables and HANDSPAN_TOKEN, else the collector of
 * this machine. A given address is the server's; `/v1/logs` or `/v1/traces` comes after it. Throws an error that says what
 * is wrong.
 */
export function readTarget(
  given: { url?: string | undefined; token?: string | undefined },
  environment: Environment,
  signal: Signal = 'logs',
): Target {
  const own = signal.toUpperCase()
  const variable = (name: string): string | undefined => environment[name]?.trim() || undefined
  const exact = variable(`OTEL_EXPORTER_OTLP_${own}_ENDPOINT`)
  const base = given.url ?? (exact === undefined ? variable('OTEL_EXPORTER_OTLP_ENDPOINT') : undefined)
  const url =
    given.url === undefined && exact !== undefined ? httpUrl(exact) : signalUrl(base ?? DEFAULT_URL, signal)
  // Headers of the environment may hold a key for the endpoint of the environment: for that one alone.
  const headers =
    given.url === undefined
      ? {
          ...headerList(variable('OTEL_EXPORTER_OTLP_HEADERS')),
          ...headerList(variable(`OTEL_EXPORTER_OTLP_${own}_HEADERS`)),
        }
      : {}
  const token = given.token ?? variable('HANDSPAN_TOKEN')
  return { url, headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` } }
}

const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** What is wrong with the way there, if a token goes over it that everybody in between can read. */
export function exposure({ url, headers }: Target): string | undefined {
  if (headers.authorization === undefined || url.protocol === 'https:' || THIS_MACHINE.test(url.hostname)) {
    return undefined
  }
  return `the token goes to ${url.host} unencrypted: use https, or a tunnel that ends on this machine`
}

function signalUrl(base: string, signal: Signal): URL {
  const url = httpUrl(base)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(`/v1/${signal}`) ? path : `${path}/v1/${signal}`
  return url
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error(`${text} is no http or https address: name the server as http://127.0.0.1:4318`)
  }
  return url
}

/** `name=value,name=value`, percent-encoded, as OpenTelemetry's variables have it. */
function headerList(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const pair of text?.split(',') ?? []) {
    const at = pair.indexOf('=')
    if (at <= 0) continue
    const value = pair.slice(at + 1).trim()
    try {
      headers[pair.slice(0, at).trim().toLowerCase()] = decodeURIComponent(value)
    } catch {
      headers[pair.slice(0, at).trim().toLowerCase()] = value
    }
  }
  return headers
}
