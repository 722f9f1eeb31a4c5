import type { Tone } from '../tone.ts'

/**
 * How something crossed, as a sign that needs no colour: well, badly, not quite, or not a question; for items also dropped,
 * added and changed, where that is no fault.
 */
export type Mark = '✓' | '✗' | '!' | '·' | '-' | '+' | '~'

export const MARK_TONE: Record<Mark, Tone> = {
  '✓': 'good',
  '✗': 'error',
  '!': 'warning',
  '·': 'faint',
  '-': 'warning',
  '+': 'good',
  '~': 'warning',
}

/** One thing that the sender's runtime knew, and how it crossed. */
export type DiffRow = {
  id: string
  /** What findings call it. */
  subject: string
  /** At the sender: the first line is the thing, the others what belongs to it. */
  left: string[]
  mark: Mark
  verdict: string
  /** At the receiver; for operations the payload itself is shown instead. */
  right: string[]
  /** Paths at the receiver that the verdict rests on. */
  rests: string[]
  /** What there is to say about it, most important first. */
  detail: { text: string; tone?: Tone | undefined }[]
  /** What `enter` shows whole. */
  value: unknown
  /** Both sides of something that changed. */
  change?: { before: unknown; after: unknown } | undefined
}
