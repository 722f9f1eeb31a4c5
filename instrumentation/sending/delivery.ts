import { type Entry, logsRequest } from './batch.ts'
import { bury, type DeadLetter } from './dead-letters.ts'
import type { Answer, Connection } from './post.ts'
import type { SpoolSegment } from './segments.ts'
import type { SentOffsets } from './sent-offsets.ts'

/** What has become of the events in the spool since this sender started. */
export type SendCounters = {
  /** Bytes in the spool that are not acknowledged yet. */
  pending: number
  /** Events that the server has acknowledged. */
  sent: number
  /** Events that can never be sent or that the server refused: they lie in `dead-letters`. */
  dead: number
  /** Requests that had to be made again. */
  retries: number
  /** Bytes of the bodies that were acknowledged, compressed. */
  bytes: number
}

export type Later = Extract<Answer, { kind: 'later' }>

type Sent = {
  directory: string
  connection: Connection
  offsets: SentOffsets
  resource: Record<string, string>
  counters: SendCounters
  signal: AbortSignal
  /**
   * Before a refused record is buried, the server has to show that it takes an empty request: `doubted` since it was not
   * asked yet, or had no answer; `earned` for the next burial.
   */
  trust: { of: 'none' | 'doubted' | 'earned' }
  complain: (message: string) => void
}

/** The server refused a request of several records: one of them is to be found. */
export type Several = { kind: 'several'; status: number }

/**
 * Delivers entries that follow each other in a segment. A single record that the server refuses is buried, once the server
 * has shown that it takes others. The offset is advanced over what is settled: all of them, if nothing is returned.
 */
export async function deliver(
  segment: SpoolSegment,
  entries: readonly Entry[],
  sent: Sent,
): Promise<Later | Several | undefined> {
  const doubt = sent.trust.of === 'doubted' ? await askWithNothing(sent) : undefined
  if (doubt !== undefined) return doubt
  const good = entries.filter(({ record }) => record !== undefined)
  if (good.length > 0) {
    const records = good.map(({ record }) => record!)
    const answer = await sent.connection.post(logsRequest(records, sent.resource), sent.signal)
    if (answer.kind === 'later') return answer
    if (answer.kind === 'refused') {
      if (good.length > 1) return { kind: 'several', status: answer.status }
      const { reason, status } = answer
      const later = sent.trust.of === 'earned' ? undefined : await askWithNothing(sent)
      if (later !== undefined) return later
      await letGo(segment, good, { reason, status }, 1, sent)
      sent.trust.of = 'none'
    } else {
      sent.trust.of = 'none'
      const rejected = Math.min(answer.rejected, good.length)
      sent.counters.bytes += answer.bytes
      sent.counters.sent += good.length - rejected
      if (rejected > 0) {
        const said = answer.message === '' ? '' : `: ${answer.message}`
        const reason = `the server took the request and rejected ${rejected} of its ${good.length} events${said}`
        await letGo(segment, good, { reason, status: 200 }, rejected, sent)
      }
    }
  }
  for (const entry of entries) {
    if (entry.problem !== undefined) await letGo(segment, [entry], { reason: entry.problem }, 1, sent)
  }
  await advance(segment, endOf(entries), sent)
  return undefined
}

/** Notes the progress. Where it cannot be written it still holds for this process, and a restart sends some lines again. */
export async function advance(segment: SpoolSegment, offset: number, sent: Sent): Promise<void> {
  await sent.offsets
    .advance(segment.name, offset)
    .catch((error: Error) => sent.complain(`the progress cannot be written: ${error.message}`))
}

/**
 * A server that refuses an empty request as well does not refuse the content: something is wrong with the way to it (plain
 * HTTP at a TLS port is answered with 400). Then nothing may be buried.
 */
async function askWithNothing(sent: Sent): Promise<Later | undefined> {
  sent.trust.of = 'doubted'
  const answer = await sent.connection.post(logsRequest([], sent.resource), sent.signal)
  if (answer.kind === 'later') return answer
  if (answer.kind === 'refused') {
    return { kind: 'later', reason: `${answer.reason}, also for an empty request`, fault: true }
  }
  sent.trust.of = 'earned'
  return undefined
}

async function letGo(
  segment: SpoolSegment,
  entries: readonly Entry[],
  why: Pick<DeadLetter, 'reason' | 'status'>,
  events: number,
  sent: Sent,
): Promise<void> {
  const { offset } = entries[0]!.line
  await bury(sent.directory, segment, { offset, bytes: endOf(entries) - offset, ...why })
  sent.counters.dead += events
}

/** Where the line after these begins. */
function endOf(entries: readonly Entry[]): number {
  const { offset, bytes } = entries.at(-1)!.line
  return offset + bytes + 1
}
