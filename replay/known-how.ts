import { textOf } from '../model/json.ts'
import type { RunEvent } from '../model/run-log.ts'

/*
 * A handoff that nobody observed is never shown as one that somebody did: wherever its names stand, it stands beside them
 * how they are known.
 */

const WORDS: Record<string, string> = {
  nesting: 'seen by nesting',
  next_span: 'inferred from the order of spans',
  topology: 'from the configuration only',
}

/** How a handoff is known, in words. Undefined if it was captured, stated, or named in a call. */
export function knownHow(event: RunEvent | undefined): string | undefined {
  const evidence = textOf(event?.evidence)
  return evidence === undefined || evidence === 'explicit' || evidence === 'tool_argument'
    ? undefined
    : (WORDS[evidence] ?? `known by ${evidence}`)
}
