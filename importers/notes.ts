/** What could not be judged or was passed over, and where. */
export type Note = { text: string; trace?: string; span?: string }

/** Collects notes; what is said of many spans is said once, with their number. */
export class Notes {
  readonly #counted = new Map<string, { count: number; trace: string; span: string }>()

  add(text: string, span: { traceId: string; spanId: string }): void {
    const known = this.#counted.get(text)
    if (known !== undefined) {
      known.count++
      if (`${span.traceId}${span.spanId}` >= `${known.trace}${known.span}`) return
      known.trace = span.traceId
      known.span = span.spanId
    } else this.#counted.set(text, { count: 1, trace: span.traceId, span: span.spanId })
  }

  static joined(several: readonly Notes[]): Notes {
    const out = new Notes()
    for (const notes of several) {
      for (const [text, { count, trace, span }] of notes.#counted) {
        out.add(text, { traceId: trace, spanId: span })
        out.#counted.get(text)!.count += count - 1
      }
    }
    return out
  }

  list(): Note[] {
    return [...this.#counted]
      .map(([text, { count, trace, span }]) => ({
        text: count === 1 ? text : `${text} (${count} spans)`,
        trace,
        span,
      }))
      .sort((a, b) => (a.text < b.text ? -1 : 1))
  }
}
