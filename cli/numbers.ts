import { UsageError } from './output.ts'

/** Reads the value of an option that is a whole number. */
export function wholeNumber(option: string, given: string, least: number): number {
  const number = Number(given)
  if (given.trim() === '' || !Number.isSafeInteger(number) || number < least) {
    throw new UsageError(`${option} ${given} is not a whole number`, `Give a number from ${least} on.`)
  }
  return number
}
