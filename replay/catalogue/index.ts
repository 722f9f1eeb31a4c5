import type { Check } from '../check.ts'
import { authority } from './authority.ts'
import { custodyAndFailurePath } from './custody-and-failure-path.ts'
import type { CheckGroup } from './group.ts'
import { rulesAndContract } from './rules-and-contract.ts'
import { unsettledWork } from './unsettled-work.ts'
import { waitingForAYes } from './waiting-for-a-yes.ts'
import { wordsAndItems } from './words-and-items.ts'

/** The catalogue of checks, by the question that they answer. */
export const checkGroups: readonly CheckGroup[] = [
  unsettledWork,
  authority,
  waitingForAYes,
  rulesAndContract,
  wordsAndItems,
  custodyAndFailurePath,
]

/** Every check, in the order in which findings are shown. */
export const checks: readonly Check[] = checkGroups.flatMap((group) => group.checks)
