import { UsageError } from './output.ts'

/** Reads the value of an option that is a whole number. */
export function wholeNumber(option: string, given: string, least: number, most?: number): number {
  const number = Number(given)
  const isWhole = given.trim() !== '' && Number.isSafeInteger(number)
  if (isWhole && number >= least && number <= (most ?? number)) return number
  const fault = !isWhole ? 'not a whole number' : number < least ? 'too small' : 'too large'
  throw new UsageError(
    `${option} ${given} is ${fault}`,
    most === undefined ? `Give a number from ${least} on.` : `Give a number from ${least} to ${most}.`,
  )
}

const BYTES: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 }
const BINARY_BYTES: Record<string, number> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }

/** Reads the value of an option that is a size: `500MB`, `2GiB`, `1.5g`, a number of bytes. Returns bytes. */
export function byteSize(option: string, given: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?$/i.exec(given.trim())
  const [, number, letter, binary] = match ?? []
  const unit = (binary ? BINARY_BYTES : BYTES)[(letter ?? '').toLowerCase()]
  const bytes = unit === undefined ? Number.NaN : Math.round(Number(number) * unit)
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes
  throw new UsageError(`${option} ${given} is no size.`, 'Give bytes with a unit: 500MB, 2GB, 4GiB.')
}

/** Bytes as a person reads them. */
export function readableBytes(bytes: number): string {
  const [letter, unit] = Object.entries(BYTES).findLast(([, size]) => Math.abs(bytes) >= size) ?? ['', 1]
  const value = bytes / unit
  return `${value.toFixed(letter === '' || value >= 100 ? 0 : 1)} ${letter === 'k' ? 'k' : letter.toUpperCase()}B`
}
