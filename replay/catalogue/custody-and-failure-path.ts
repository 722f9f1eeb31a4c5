import { ackLate } from '../checks/ack-late.ts'
import { correlationLost } from '../checks/correlation-lost.ts'
import { correlationNotOpaque } from '../checks/correlation-not-opaque.ts'
import { deadLetterIncomplete } from '../checks/dead-letter-incomplete.ts'
import { declinedWithoutOwner } from '../checks/declined-without-owner.ts'
import { deliveredTwice } from '../checks/delivered-twice.ts'
import { duplicateWrite } from '../checks/duplicate-write.ts'
import { handoffCycle } from '../checks/handoff-cycle.ts'
import { handoffDropped } from '../checks/handoff-dropped.ts'
import { reAsk } from '../checks/re-ask.ts'
import { reGreet } from '../checks/re-greet.ts'
import { receivedWithoutSent } from '../checks/received-without-sent.ts'
import { receiverReannounces } from '../checks/receiver-reannounces.ts'
import { resultNotDelivered } from '../checks/result-not-delivered.ts'
import { traceBroken } from '../checks/trace-broken.ts'
import { twoActive } from '../checks/two-active.ts'
import { verdictIgnored } from '../checks/verdict-ignored.ts'
import { verdictMissing } from '../checks/verdict-missing.ts'
import { viewDiverged } from '../checks/view-diverged.ts'
import { wrongTarget } from '../checks/wrong-target.ts'
import type { CheckGroup } from './group.ts'

export const custodyAndFailurePath: CheckGroup = {
  title: 'Custody and failure path',
  question: 'Who owns the task at every point, and what happens when delivery fails?',
  checks: [
    handoffDropped,
    receivedWithoutSent,
    deliveredTwice,
    ackLate,
    wrongTarget,
    twoActive,
    handoffCycle,
    resultNotDelivered,
    duplicateWrite,
    viewDiverged,
    deadLetterIncomplete,
    declinedWithoutOwner,
    verdictMissing,
    verdictIgnored,
    traceBroken,
    correlationLost,
    correlationNotOpaque,
    reGreet,
    reAsk,
    receiverReannounces,
  ],
}
