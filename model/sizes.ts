import { jsonText } from './json-text.ts'

/**
 * Size of a value in bytes: the UTF-8 length of its compact JSON exactly as `JSON.stringify` writes it,
 * however deep it is.
 * A value that JSON cannot hold (undefined, a function) has 0 bytes.
 */
export function bytesOf(value: unknown): number {
  const text = jsonText(value)
  return text === undefined ? 0 : Buffer.byteLength(text, 'utf8')
}
