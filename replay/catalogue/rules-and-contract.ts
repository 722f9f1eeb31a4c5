import { briefDropped } from '../checks/brief-dropped.ts'
import { commitmentDropped } from '../checks/commitment-dropped.ts'
import { commitmentStale } from '../checks/commitment-stale.ts'
import { constraintDropped } from '../checks/constraint-dropped.ts'
import { constraintReworded } from '../checks/constraint-reworded.ts'
import { constraintViolated } from '../checks/constraint-violated.ts'
import { contractIncomplete } from '../checks/contract-incomplete.ts'
import { evidenceMissing } from '../checks/evidence-missing.ts'
import { userMessageDropped } from '../checks/user-message-dropped.ts'
import type { CheckGroup } from './group.ts'

export const rulesAndContract: CheckGroup = {
  title: 'Rules and contract',
  question: 'Which rules, promises and fields of the contract crossed?',
  checks: [
    constraintDropped,
    constraintReworded,
    constraintViolated,
    commitmentDropped,
    commitmentStale,
    contractIncomplete,
    evidenceMissing,
    userMessageDropped,
    briefDropped,
  ],
}
