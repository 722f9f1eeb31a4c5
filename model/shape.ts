import { isObject, textOf } from './json.ts'

/*
 * What `content: shape` writes in the place of what it leaves out: a text is `shape:<bytes>:<hash>`, a structure
 * {bytes, hash}, and the event tells under `shape` how large its fields were. Equal contents have equal shapes.
 */

/** The shape of a text of so many UTF-8 bytes. */
export function shapeOfText(bytes: number, hash: string): string {
  return `shape:${bytes}:${hash}`
}

const TEXT = /^shape:(\d+):(?:hmac-)?sha256:[0-9a-f]{64}$/u
const HASH = /^(?:hmac-)?sha256:[0-9a-f]{64}$/u

/** True for the shape of a text. */
export function isShapeOfText(text: string): boolean {
  return text.startsWith('shape:') && TEXT.test(text)
}

/** True for what stands in the place of a structure. */
export function isShapeOfStructure(value: unknown): boolean {
  return isObject(value) && typeof value.bytes === 'number' && HASH.test(textOf(value.hash) ?? '')
}

/** What a field of an event measured before it was shaped, as compact JSON; undefined if it stands as it was. */
export function sizeBeforeShape(
  event: { [field: string]: unknown },
  field: string,
): { bytes: number; count?: number } | undefined {
  const value = event[field]
  if (typeof value === 'string') {
    const bytes = TEXT.exec(value)?.[1]
    // With its quotes; nobody knows what was escaped.
    return bytes === undefined ? undefined : { bytes: Number(bytes) + 2 }
  }
  const size = isObject(event.shape) ? event.shape[field] : undefined
  if (!isObject(size) || typeof size.bytes !== 'number') return undefined
  return { bytes: size.bytes, ...(typeof size.count === 'number' ? { count: size.count } : {}) }
}

/** True for an event that `content: shape` wrote. */
export function isShaped(event: { [field: string]: unknown }): boolean {
  return isObject(event.shape)
}
