import { fieldOf } from './storable.ts'

/*
 * Whether an error leaves it open that the request took effect. Where in doubt, in doubt: an operation that is looked up
 * once too often costs a request, one that is taken for failed costs a second effect.
 */

const NAMES = new Set([
  'AbortError',
  'TimeoutError',
  'ResponseAborted',
  'APIConnectionTimeoutError',
  'APIUserAbortError',
])

// The connection was there, or nobody knows: the request may have arrived.
const CODES = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_CANCELED',
  'ESOCKETTIMEDOUT',
  'ETIMEDOUT',
  'UND_ERR_ABORTED',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_RESPONSE_STATUS_CODE',
  'UND_ERR_SOCKET',
])

// 408 and the answers of a gateway that got none itself.
const STATUSES = new Set([408, 502, 504])

/** True for time-outs, aborts, connections that broke, and a call whose own abort signal has fired. */
export function leavesInDoubt(error: unknown, args: readonly unknown[]): boolean {
  return errorLeavesInDoubt(error, 0) || args.some(isAborted)
}

function errorLeavesInDoubt(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  const name = fieldOf(error, 'name')
  const code = fieldOf(error, 'code')
  const message = fieldOf(error, 'message')
  if (typeof name === 'string' && NAMES.has(name)) return true
  if (typeof code === 'string' && CODES.has(code)) return true
  if (
    STATUSES.has(fieldOf(error, 'status') as number) ||
    STATUSES.has(fieldOf(error, 'statusCode') as number)
  ) {
    return true
  }
  // Many clients throw a plain Error: then only its words tell.
  if (typeof message === 'string' && /\btimed?[ -]?out\b|socket hang up/i.test(message.slice(0, 500)))
    return true
  return errorLeavesInDoubt(fieldOf(error, 'cause'), depth + 1)
}

/** An abort signal among the arguments, or one field deep in them, that has fired. */
function isAborted(argument: unknown): boolean {
  return (
    hasFired(argument) || hasFired(fieldOf(argument, 'signal')) || hasFired(fieldOf(argument, 'abortSignal'))
  )
}

function hasFired(value: unknown): boolean {
  return value instanceof AbortSignal && value.aborted
}
