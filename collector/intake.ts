import type { IncomingMessage } from 'node:http'
import { type Signal, successAnswer } from '../otlp/answers.ts'
import type { Encoding } from '../otlp/decode.ts'
import { decompress, readBody } from './body.ts'
import { Budget } from './budget.ts'
import type { Counters } from './counters.ts'
import { isGzip } from './encoding.ts'
import type { Journal } from './journal.ts'
import type { Limits } from './limits.ts'
import type { Quarantine } from './quarantine.ts'
import { type Received, receive } from './receive.ts'
import { putOff, Refusal } from './refusal.ts'

/** Where what arrives is kept. */
export type Places = { journals: Record<Signal, Journal>; quarantine: Quarantine }

// A disk that is full stays so for a while; a client of OpenTelemetry gives up after ten seconds, a Collector does not.
const DISK_SECONDS = 5

/** Takes requests: read, decompressed, decoded, on disk, and only then acknowledged. */
export class Intake {
  readonly budget: Budget
  /** Why the last write failed; undefined when it worked. */
  failing: string | undefined
  readonly #limits: Limits
  readonly #places: Places
  readonly #counters: Counters
  readonly #onKept: () => void

  constructor(limits: Limits, places: Places, counters: Counters, onKept: () => void) {
    this.#limits = limits
    this.#places = places
    this.#counters = counters
    this.#onKept = onKept
    this.budget = new Budget(limits.bytesInWork)
  }

  /** The body of the answer 200 to a request. Throws a Refusal, or SenderGone. */
  async take(signal: Signal, request: IncomingMessage, encoding: Encoding): Promise<Uint8Array> {
    let gzip = isGzip(request.headers)
    const share = this.budget.share()
    try {
      this.#counters.requests[signal]++
      let body = await readBody(request, this.#limits.requestBytes, share)
      this.#counters.receivedBytes += body.length
      let received: Received
      try {
        if (gzip) body = await decompress(body, this.#limits.requestBytes, share)
        gzip = false
        received = receive(signal, body, encoding)
      } catch (error) {
        if (error instanceof Refusal && error.undecodable) {
          await this.#places.quarantine.keep(body, { signal, encoding, gzip, reason: error.message })
        }
        throw error
      }
      share.take(received.lines.length)
      await this.#keep(signal, received)
      return successAnswer(signal, encoding, received.partial)
    } finally {
      share.giveBack()
    }
  }

  async #keep(signal: Signal, { lines, kept, partial }: Received): Promise<void> {
    if (lines.length > 0) {
      try {
        await this.#places.journals[signal].append(lines)
        this.failing = undefined
      } catch (error) {
        this.failing = (error as NodeJS.ErrnoException).code ?? (error as Error).message
        throw putOff(`what was sent could not be written (${this.failing}): send again`, DISK_SECONDS)
      }
      this.#onKept()
    }
    this.#counters[signal === 'traces' ? 'spans' : 'events'] += kept
    this.#counters.rejected += partial?.rejected ?? 0
  }
}
