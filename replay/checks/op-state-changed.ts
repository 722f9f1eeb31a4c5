import type { Check } from '../check.ts'
import { changedEntries } from '../diff/changed-entries.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { stateContradictions } from '../facts/state-contradictions.ts'
import { contradictingReports } from '../facts/state-reports.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

export const opStateChanged: Check = {
  id: 'op-state-changed',
  severity: 'error',
  title: 'An operation was given another state than the log knew',
  question: 'Is what the receiver believes of each operation what the sender knew?',
  definition:
    'Raised when the record that was received gives an operation another state than the operations log, or than the record ' +
    'that was sent; and when a later entry contradicts an outcome: settled after failed without a new attempt, settled after ' +
    'its key was closed, an unanswered call filed as failed, or a report of the whole task that says otherwise. `sent` and ' +
    '`unknown` tell a receiver the same. Words in a message are not judged.',
  judgesByWords: true,
  check({ run, diffs }) {
    return { findings: [...diffs.flatMap((diff) => crossings(run, diff)), ...contradictions(run)] }
  },
}

function crossings(run: Run, diff: HandoffDiff): Draft[] {
  return changedEntries(run, diff).map(({ name, trait, known, claimed, evidence }) => ({
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'operation', id: name },
    message: `${trait === name ? name : `${trait} (${name})`} was ${known} when it was handed over, and what ${receiverOf(diff.handoff)} got says ${claimed}. ${meaning(known, claimed)}`,
    evidence: [...evidence, ...bothSides(diff)],
    remedy: 'Fill the record from the operations log, and change no state on the way.',
    trait: `${trait} ${known} ${claimed}`,
  }))
}

function contradictions(run: Run): Draft[] {
  return [...stateContradictions(run), ...contradictingReports(run)].map(
    ({ name, trait, agents, known, claimed, what, evidence }) => ({
      agents,
      subject: { kind: 'operation', id: name },
      message: `${what} ${meaning(known, claimed)}`,
      evidence,
      remedy:
        'Log a new attempt where there was one. Keep a call without an answer as unknown until it is looked up by its key.',
      trait: `${trait} ${known} ${claimed}`,
    }),
  )
}

/** What a receiver does with the wrong state. */
function meaning(known: string, claimed: string): string {
  if (claimed === 'settled') return 'What was not done is reported as done, and nobody does it.'
  if (claimed === 'failed' || claimed === 'proposed')
    return 'What may have landed looks as if it never did, and is done again.'
  return known === 'settled'
    ? 'What is done looks open, and may be done again.'
    : 'It is treated as what it is not.'
}
