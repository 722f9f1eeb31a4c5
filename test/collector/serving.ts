import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ServeOptions, type Serving, serve } from '../../collector/serve.ts'

export type TestServer = Serving & { directory: string; port: number; complaints: string[] }

/** A real server at a free port of this machine, with a folder of its own; both gone after the test. */
export async function startServer(options: Partial<ServeOptions> = {}): Promise<TestServer> {
  const directory = options.directory ?? newFolder()
  const complaints: string[] = []
  const serving = await serve({
    directory,
    host: '127.0.0.1',
    port: 0,
    complain: (message) => complaints.push(message),
    ...options,
  })
  onTestFinished(() => serving.stop())
  return Object.assign(serving, { directory, complaints, port: Number(new URL(serving.url).port) })
}

/** A new folder, gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'handspan-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What the spool holds of one sort of segment, decoded. */
export function spooled(directory: string, sort: 'events' | 'spans'): Record<string, unknown>[] {
  const spool = join(directory, 'spool')
  return readdirSync(spool)
    .filter((name) => name.endsWith('.jsonl') && name.endsWith('.spans.jsonl') === (sort === 'spans'))
    .sort()
    .flatMap((name) => readFileSync(join(spool, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line))
}

/** A log export with these run-log events, in JSON. */
export function logsOf(events: readonly object[]): string {
  const logRecords = events.map((event) => ({
    eventName: `handspan.${(event as { kind: string }).kind}`,
    body: { stringValue: JSON.stringify(event) },
  }))
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
}

/** A trace export with one span of these ids, in JSON. */
export function tracesOf(...spanIds: string[]): string {
  const spans = spanIds.map((spanId) => ({ traceId: '5b8efff798038103d269b633813fc60c', spanId, name: 'a' }))
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

export function post(
  url: string,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
}
