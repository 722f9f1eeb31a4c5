import { approvalAskedAgain } from '../checks/approval-asked-again.ts'
import { approvalConsumedEarly } from '../checks/approval-consumed-early.ts'
import { approvalDecisionLost } from '../checks/approval-decision-lost.ts'
import { approvalIdChanged } from '../checks/approval-id-changed.ts'
import { approvalMisdirected } from '../checks/approval-misdirected.ts'
import { approvalPendingLost } from '../checks/approval-pending-lost.ts'
import { approvalRejectedOverridden } from '../checks/approval-rejected-overridden.ts'
import { approvalScopeChanged } from '../checks/approval-scope-changed.ts'
import { writeWithoutApproval } from '../checks/write-without-approval.ts'
import type { CheckGroup } from './group.ts'

export const waitingForAYes: CheckGroup = {
  title: 'Waiting for a yes',
  question: 'What waits for a decision, and does it keep its id and scope?',
  checks: [
    approvalPendingLost,
    approvalIdChanged,
    approvalScopeChanged,
    approvalMisdirected,
    approvalConsumedEarly,
    approvalDecisionLost,
    approvalRejectedOverridden,
    writeWithoutApproval,
    approvalAskedAgain,
  ],
}
