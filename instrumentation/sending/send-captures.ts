import path from 'node:path'
import { report } from '../otel.ts'
import { readSettings } from '../settings.ts'
import type { SendCounters } from './delivery.ts'
import type { SentContent } from './outgoing-line.ts'
import { SpoolSender } from './spool-sender.ts'
import { exposure, readTarget } from './target.ts'

/** How the captures of a directory are sent. Every field may be left out. */
export type SendOptions = {
  /**
   * Address of the server, `/v1/logs` comes after it. Default: OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, else
   * OTEL_EXPORTER_OTLP_ENDPOINT, else http://127.0.0.1:4318.
   */
  url?: string
  /** Sent as `Authorization: Bearer`. Default: HANDSPAN_TOKEN. */
  token?: string
  /** The directory of the captures. Default: HANDSPAN_DIR, else `./.handspan`. */
  directory?: string
  /** `shape` sends sizes, hashes, ids, keys and names; `full` the captured lines as they are. Default: HANDSPAN_SEND_CONTENT, else `shape`. */
  content?: SentContent
  /** Key for the hashes of `shape`. Default: HANDSPAN_HASH_KEY. */
  hashKey?: string
}

/** The sending of one directory. No method throws. */
export type Sending = {
  counters(): SendCounters
  /** True when everything in the spool is acknowledged or buried; false after so many milliseconds. Default 5000. */
  flush(timeoutMs?: number): Promise<boolean>
  /** Ends it; a request under way gets a second. What is not acknowledged stays in the spool. May be called twice. */
  stop(): Promise<void>
}

const BATCH_BYTES = 64 * 1024
const GRACE_MS = 1_000

/**
 * Sends the captures of this process, and of all that write into the same directory, while the program runs. Never throws
 * and never keeps the process alive: what is left is sent by whoever sends from this directory next.
 */
export function sendCaptures(options: SendOptions = {}): Sending {
  const settings = readSettings(options, process.env, (message) => report('warn', message))
  if (!settings.enabled) return nothing
  try {
    const target = readTarget(options, process.env)
    const exposed = exposure(target)
    if (exposed !== undefined) report('warn', exposed)
    const sender = new SpoolSender({
      directory: path.resolve(settings.directory),
      target,
      content: sentContent(options.content ?? process.env.HANDSPAN_SEND_CONTENT, (message) =>
        report('warn', message),
      ),
      hashKey: settings.hashKey,
      batchBytes: BATCH_BYTES,
      resource: { 'service.name': settings.service ?? 'unknown_service:node' },
      background: true,
      report: (level, message) => report(level, `sending to ${message}`),
    })
    const ended = sender.run()
    return {
      counters: () => ({ ...sender.counters }),
      flush: (timeoutMs = 5_000) => sender.flush(timeoutMs),
      stop: () => {
        sender.stop(GRACE_MS)
        return ended
      },
    }
  } catch (error) {
    report('error', `captures are not sent: ${(error as Error).message}`)
    return nothing
  }
}

const nothing: Sending = {
  counters: () => ({ pending: 0, sent: 0, dead: 0, retries: 0, bytes: 0 }),
  flush: async () => false,
  stop: async () => {},
}

/** What may leave the machine. The safe reading of a misspelt word is the stricter one. */
export function sentContent(value: string | undefined, warn: (message: string) => void): SentContent {
  const word = value?.trim() || 'shape'
  if (word === 'full' || word === 'shape') return word
  warn(`content "${word.slice(0, 40)}" is neither full nor shape: only metadata is sent`)
  return 'shape'
}
