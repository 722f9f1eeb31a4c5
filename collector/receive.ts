import { isEventRecord, lineOfRecord } from '../model/event-log-record.ts'
import { parseEventLine } from '../model/parse-event.ts'
import type { PartialSuccess, Signal } from '../otlp/answers.ts'
import { decodeLogRecords, decodeSpans, type Encoding } from '../otlp/decode.ts'
import { DecodeError } from '../otlp/decode-error.ts'
import { malformed, tooLarge } from './refusal.ts'

/** What a request comes to: lines for the spool (each with its line feed), how many were kept, and what was not. */
export type Received = { lines: Buffer; kept: number; partial?: PartialSuccess }

/** Reads a request. Throws a Refusal if it cannot be read as a whole. */
export function receive(signal: Signal, request: Buffer, encoding: Encoding): Received {
  const lines: string[] = []
  const faults = new Faults()
  let kept = 0
  try {
    for (const { line, fault } of signal === 'traces'
      ? spanLines(request, encoding)
      : eventLines(request, encoding)) {
      if (line !== undefined) lines.push(line)
      if (fault === undefined) kept++
      else faults.add(fault)
    }
  } catch (error) {
    throw refusalOf(error)
  }
  return {
    lines: Buffer.from(lines.length === 0 ? '' : `${lines.join('\n')}\n`),
    kept,
    ...(faults.count === 0 ? {} : { partial: { rejected: faults.count, message: faults.message() } }),
  }
}

type Taken = { line?: string; fault?: string }

function* spanLines(request: Buffer, encoding: Encoding): Generator<Taken> {
  for (const span of decodeSpans(request, encoding)) {
    yield 'refused' in span ? { fault: span.refused } : { line: JSON.stringify(span) }
  }
}

function* eventLines(request: Buffer, encoding: Encoding): Generator<Taken> {
  for (const record of decodeLogRecords(request, encoding)) {
    if (!isEventRecord(record)) {
      yield { fault: 'no run-log event: its event name does not begin with handspan.' }
      continue
    }
    const line = lineOfRecord(record)
    const { reason } = parseEventLine(line)
    // A line that is no event goes to the spool all the same: the store keeps it in quarantine, with the reason.
    yield reason === undefined ? { line } : { line, fault: reason }
  }
}

function refusalOf(error: unknown): Error {
  if (error instanceof DecodeError) {
    return error.kind === 'too-large' ? tooLarge(error.message) : malformed(error.message)
  }
  // The stack or a string at its end: the content asks for more than there is.
  if (error instanceof RangeError) return malformed(`the request cannot be read: ${error.message}`)
  return error as Error
}

const REASONS_SHOWN = 3

/** Why records were not kept, for the sender to read: each reason once. */
class Faults {
  count = 0
  readonly #reasons = new Map<string, number>()

  add(reason: string): void {
    this.count++
    const known = this.#reasons.get(reason)
    if (known !== undefined || this.#reasons.size < REASONS_SHOWN) this.#reasons.set(reason, (known ?? 0) + 1)
  }

  message(): string {
    const shown = [...this.#reasons].map(([reason, count]) => `${count} x ${reason.slice(0, 300)}`)
    const told = [...this.#reasons.values()].reduce((sum, count) => sum + count, 0)
    return [...shown, ...(told < this.count ? [`${this.count - told} more`] : [])].join('; ')
  }
}
