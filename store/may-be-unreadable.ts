/*
 * What JSON.parse reads and DuckDB does not: half of a surrogate pair, written as an escape, and a number beyond what a
 * double holds. Whatever looks like either is worth asking DuckDB; to ask it about every line takes longer than to store
 * them.
 */
const SUSPICIOUS = /\\u[dD][89a-fA-F]|\d[eE]\+?\d{3}/
const LONG_NUMBER = /\d{200}/
const STEP = 100

/** Whether DuckDB may refuse a line that JavaScript has read as JSON. False is certain. */
export function mayBeUnreadable(line: string): boolean {
  return SUSPICIOUS.test(line) || (mayHoldLongNumber(line) && LONG_NUMBER.test(line))
}

/** A number of 200 digits has one at two steps of 100 that follow on each other: to look there costs next to nothing. */
function mayHoldLongNumber(line: string): boolean {
  for (let at = STEP; at < line.length; at += STEP) {
    if (isDigit(line.charCodeAt(at - STEP)) && isDigit(line.charCodeAt(at))) return true
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
