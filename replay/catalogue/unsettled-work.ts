import { keyReused } from '../checks/key-reused.ts'
import { notSettledBeforePlanning } from '../checks/not-settled-before-planning.ts'
import { opAltered } from '../checks/op-altered.ts'
import { opInDoubtKeyMissing } from '../checks/op-in-doubt-key-missing.ts'
import { opResultMissing } from '../checks/op-result-missing.ts'
import { opStateChanged } from '../checks/op-state-changed.ts'
import { redundantCall } from '../checks/redundant-call.ts'
import { redundantDelegation } from '../checks/redundant-delegation.ts'
import { retryNewKey } from '../checks/retry-new-key.ts'
import { settledByDetails } from '../checks/settled-by-details.ts'
import { sideEffectRepeated } from '../checks/side-effect-repeated.ts'
import { writeWithoutKey } from '../checks/write-without-key.ts'
import type { CheckGroup } from './group.ts'

export const unsettledWork: CheckGroup = {
  title: 'Unsettled work',
  question: 'Which operations are unsettled, and does each key cross?',
  checks: [
    opInDoubtKeyMissing,
    opStateChanged,
    opAltered,
    opResultMissing,
    notSettledBeforePlanning,
    retryNewKey,
    writeWithoutKey,
    keyReused,
    sideEffectRepeated,
    settledByDetails,
    redundantCall,
    redundantDelegation,
  ],
}
