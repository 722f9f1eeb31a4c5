import type { Check } from '../check.ts'

/** The catalogue, in the order in which findings are shown. */
export const checks: readonly Check[] = []
