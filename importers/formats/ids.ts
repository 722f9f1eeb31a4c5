import { createHash } from 'node:crypto'

/**
 * An id of another system as one of OpenTelemetry: `digits` lower-case hex digits. Where the id holds enough hex digits of
 * its own (`trace_8978…`, a UUID) they are kept, the last ones, which vary; any other id is hashed.
 */
export function hexId(id: string, digits: number): string {
  const own = id
    .replace(/^(trace|span|run)[_-]/, '')
    .replaceAll('-', '')
    .toLowerCase()
  if (/^[0-9a-f]+$/.test(own) && own.length >= digits) return own.slice(-digits)
  return createHash('sha256').update(id).digest('hex').slice(0, digits)
}
