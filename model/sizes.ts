/**
 * Size of a value in bytes: the UTF-8 length of its compact JSON exactly as `JSON.stringify` writes it.
 * A value that JSON cannot hold (undefined, a function) has 0 bytes.
 */
export function bytesOf(value: unknown): number {
  const text = JSON.stringify(value)
  return text === undefined ? 0 : Buffer.byteLength(text, 'utf8')
}
