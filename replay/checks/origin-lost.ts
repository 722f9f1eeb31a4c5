import type { Principal } from '../../model/principal.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import type { Draft } from '../finding.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, bothSides, receiverOf } from '../phrase.ts'

export const originLost: Check = {
  id: 'origin-lost',
  severity: 'error',
  title: 'Who started the task did not cross',
  question: 'Does the receiver act for the same principal as the sender?',
  definition:
    'Raised when the sender named the principal (or had been given one by an earlier handoff) and the receiver got none, ' +
    'and when the receiver got another one than the run or the sender knows. A principal that the sender never passed on ' +
    'is not lost. A report back to whoever gave the task away need not repeat it.',
  check({ diffs }) {
    return { findings: diffs.flatMap(lostOrigin), notJudged: missingSenders(diffs) }
  },
}

function lostOrigin(diff: HandoffDiff): Draft[] {
  const { verdict, sent, received } = diff.origin
  if (!diff.complete || verdict === 'same' || verdict === 'not judged') return []
  const receiver = receiverOf(diff.handoff)
  const got =
    verdict === 'absent'
      ? `${receiver} was told of no principal at all`
      : `${receiver} was told that it is ${wordsOf(received)}`
  return [
    {
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'principal', id: sent?.id ?? sent?.kind ?? 'principal' },
      message:
        `The task was started by ${wordsOf(sent)}; ${got}. ` +
        'What it stores, reads and is allowed is then decided for somebody else.',
      evidence: bothSides(diff).map((entry) => ({ ...entry, path: 'principal' })),
      remedy:
        'Pass the principal of the run on with the handoff (principal, or origin in the record), not the agent that sends it.',
      trait: verdict,
    },
  ]
}

function wordsOf(principal: Principal | undefined): string {
  if (principal === undefined) return 'nobody'
  return [principal.kind, principal.id].filter((word) => word !== undefined).join(' ')
}
