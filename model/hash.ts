import crypto, { createHash, createHmac } from 'node:crypto'
import { canonicalText } from './json-text.ts'

/** Short texts can be guessed from a plain hash; with a key they cannot. The prefix says which one it is. */
export type HashOptions = { key?: string | undefined }

/**
 * RFC 8785 canonical JSON: keys sorted, numbers in their shortest form, so that equal values give equal bytes.
 * RFC 8785 has no form for a lone surrogate; it is written as U+FFFD, which is also what UTF-8 makes of it on the wire.
 * What JSON cannot hold (undefined, a function) is `null`. Never throws, whatever the depth.
 */
export function canonicalJson(value: unknown): string {
  return canonicalText(value) ?? 'null'
}

// Half the cost on short texts; not there before Node 20.12.
const oneShot: typeof crypto.hash | undefined = crypto.hash

/** `sha256:` and lower-case hex, or `hmac-sha256:` when a key is given. */
export function hashText(text: string, options: HashOptions = {}): string {
  return options.key
    ? `hmac-sha256:${createHmac('sha256', options.key).update(text).digest('hex')}`
    : `sha256:${oneShot?.('sha256', text, 'hex') ?? createHash('sha256').update(text).digest('hex')}`
}

/** Hash of any JSON value over its canonical form. */
export function hashJson(value: unknown, options: HashOptions = {}): string {
  return hashText(canonicalJson(value), options)
}

/** The same words in the same order, whatever the case, the spacing or the Unicode form. */
export function normaliseText(text: string): string {
  const composed = text.normalize('NFC')
  // Most texts have nothing but single spaces; to look is several times as fast as to replace each by itself.
  const spaced = /[^\S ]| {2}/u.test(composed) ? composed.replace(/\s+/gu, ' ') : composed
  return spaced.trim().toLowerCase()
}

/** The hash by which both sides recognise one constraint: its normalised text and its check. */
export function constraintHash(
  constraint: { text?: string | undefined; check?: unknown },
  options: HashOptions = {},
): string {
  return hashJson({ text: normaliseText(constraint.text ?? ''), check: constraint.check ?? null }, options)
}
