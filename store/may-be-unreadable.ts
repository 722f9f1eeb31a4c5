/*
 * What JSON.parse reads and DuckDB does not: half of a surrogate pair, written as an escape, and a number beyond what a
 * double holds. Whatever looks like either is worth asking DuckDB; to ask it about every line takes longer than to store
 * them.
 */
const SUSPICIOUS = /\\u[dD][89a-fA-F]|\d[eE]\+?\d{3}|\d{200}/

/** Whether DuckDB may refuse a line that JavaScript has read as JSON. False is certain. */
export function mayBeUnreadable(line: string): boolean {
  return SUSPICIOUS.test(line)
}
