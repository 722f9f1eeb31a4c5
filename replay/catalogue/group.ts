import type { Check } from '../check.ts'

/** Checks that answer one question of a review, in the order in which their findings are shown. */
export type CheckGroup = { title: string; question: string; checks: readonly Check[] }
