import { brokenRule } from './broken-rule.ts'
import { pendingApproval } from './pending-approval.ts'
import { retryUnderANewKey } from './retry-under-a-new-key.ts'
import type { Scenario } from './scenario.ts'
import { strangersReservation } from './strangers-reservation.ts'
import { webhookOrigin } from './webhook-origin.ts'

/** The further stories of the lab, each in a faulty and a sound variant. */
export const SCENARIOS: readonly Scenario[] = [
  strangersReservation,
  webhookOrigin,
  pendingApproval,
  retryUnderANewKey,
  brokenRule,
]
