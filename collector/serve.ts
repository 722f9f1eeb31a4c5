import { randomBytes } from 'node:crypto'
import os from 'node:os'
import { join } from 'node:path'
import { type OpenOptions, storePaths } from '../store/index.ts'
import { isLoopback } from './admission.ts'
import { type Counters, newCounters } from './counters.ts'
import { boundedServer, endServer, listenAt } from './http-server.ts'
import { Ingester, type IngestState } from './ingester.ts'
import { Intake } from './intake.ts'
import { Journal, type JournalCounts } from './journal.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { Quarantine } from './quarantine.ts'
import { answer } from './routes.ts'

export type ServeOptions = {
  /** Directory of the captures; made if it is missing. */
  directory: string
  /** Address to listen at. Any but a loopback address needs a token. */
  host: string
  /** 0 for any free one. */
  port: number
  token?: string | undefined
  limits?: Partial<Limits>
  /** How the runs that come in are judged. */
  judged?: Pick<OpenOptions, 'settings'> | undefined
  /** Told what goes wrong beside the requests, in whole sentences. */
  complain: (message: string) => void
}

/** What `/counters` says. */
export type ServeReport = {
  started: string
  writer: string
  counters: Counters
  inWorkBytes: number
  journals: { spans: JournalCounts; events: JournalCounts }
  quarantined: number
  database: IngestState
}

export type Serving = {
  /** Where it listens, as a URL. */
  url: string
  report(): ServeReport
  /** Resolves once the database is open, here or elsewhere; rejects with the StoreError of one that can never be used. */
  ready: Promise<void>
  /** Ends what was begun and gives the database up. What was acknowledged is in the spool. */
  stop(): Promise<void>
}

/** Why a server cannot be started as asked. */
export class ServeError extends Error {
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.name = 'ServeError'
    this.remedy = remedy
  }
}

// A shorter one can be guessed.
const TOKEN_CHARACTERS = 16

/**
 * Receives OTLP/HTTP into the spool of a directory and keeps its database up to it. Several may serve one directory, each
 * with segments of its own; one of them owns the database. Resolves once it listens. Throws ServeError.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { directory, host, port, token, complain } = options
  checkToken(host, token)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const paths = storePaths(directory, { create: true })
  const writer = writerName()
  const journals = {
    traces: new Journal(paths.spool, writer, '.spans.jsonl'),
    logs: new Journal(paths.spool, writer, '.jsonl'),
  }
  const quarantine = new Quarantine(join(paths.directory, 'quarantine'))
  const counters = newCounters()
  const ingester = new Ingester(paths.directory, complain, options.judged)
  const intake = new Intake(limits, { journals, quarantine }, counters, () => ingester.poke())
  const started = new Date().toISOString()
  let stopping: Promise<void> | undefined

  const report = (): ServeReport => ({
    started,
    writer,
    counters,
    inWorkBytes: intake.budget.used,
    journals: { spans: journals.traces.counts, events: journals.logs.counts },
    quarantined: quarantine.kept,
    database: ingester.state,
  })
  const site = { token, intake, counters, report, isStopping: () => stopping !== undefined }
  const server = boundedServer(limits, (request, response, proceed) =>
    answer(site, request, response, proceed),
  )

  const stop = async (): Promise<void> => {
    await endServer(server, limits.stopTime)
    await Promise.all([journals.traces.close(), journals.logs.close()])
    await ingester.stop()
  }
  const address = await listenAt(server, host, port).catch((error) => {
    throw cannotListen(error, host, port)
  })
  const ready = ingester.start()
  // Whoever asks is told; nobody has to ask.
  ready.catch(() => {})
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    report,
    ready,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

function checkToken(host: string, token: string | undefined): void {
  if (token === undefined) {
    if (isLoopback(host)) return
    throw new ServeError(
      `${host} can be reached from other machines, and there is no token.`,
      'Put a secret of at least 16 characters into HANDSPAN_TOKEN or a file for --token-file, or listen at 127.0.0.1.',
    )
  }
  if (token.length >= TOKEN_CHARACTERS && /^[\x21-\x7e]+$/.test(token)) return
  throw new ServeError(
    'The token is shorter than 16 characters, or not all of them are printable ASCII.',
    'Make one with: openssl rand -hex 32',
  )
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  const why: Record<string, string> = {
    EADDRINUSE: 'something else listens there',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such host',
    EACCES: 'this user may not',
  }
  return new ServeError(
    `Cannot listen at ${host}:${port}: ${why[error.code ?? ''] ?? error.message}.`,
    'Give another address with --host and --port.',
  )
}

/** No two writers share it, also after a restart under the same process id. */
function writerName(): string {
  const host =
    os
      .hostname()
      .replace(/[^A-Za-z0-9.]+/g, '_')
      .slice(0, 40) || 'host'
  return `${host}-${process.pid}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`
}
