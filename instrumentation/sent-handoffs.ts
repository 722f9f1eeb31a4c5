import type { PayloadFacts } from './facts.ts'
import type { RunCore } from './run-core.ts'
import type { HandoffSpan, RemoteSpan } from './spans.ts'

/** What the sender's side of this process remembers of a handoff, for a receiver in the same process. */
export type SentHandoff = {
  core: RunCore
  span: HandoffSpan
  /** The context of its span, kept for a receiver that comes after the span has ended. */
  context: RemoteSpan | undefined
  /** Only where a span is recorded. */
  facts: PayloadFacts | undefined
}

const MAX_REMEMBERED = 256

/** The handoffs last sent by this process, by run and id. The oldest are forgotten. */
export class SentHandoffs {
  readonly #byName = new Map<string, SentHandoff>()

  add(handoff: string, sent: SentHandoff): void {
    const name = nameOf(handoff, sent.core.id)
    this.#byName.delete(name)
    this.#byName.set(name, sent)
    const oldest = this.#byName.keys().next()
    if (this.#byName.size > MAX_REMEMBERED && !oldest.done) this.#byName.delete(oldest.value)
  }

  /** The handoff, if it was sent here in the run that the envelope claims. */
  find(handoff: string, run: string): SentHandoff | undefined {
    return this.#byName.get(nameOf(handoff, run))
  }
}

function nameOf(handoff: string, run: string): string {
  return `${run}\u0000${handoff}`
}
