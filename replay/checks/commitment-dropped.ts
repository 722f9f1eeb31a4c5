import type { Check, CheckInput, CheckResult } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { receivedBefore } from '../facts/participation.ts'
import { type Awaited, awaitedResult } from '../facts/promised-results.ts'
import type { Draft } from '../finding.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { firstStep, latest } from '../history.ts'
import { aboutHandoff, bothSides, quote, receiverOf } from '../phrase.ts'
import type { Commitment, Run } from '../run.ts'

export const commitmentDropped: Check = {
  id: 'commitment-dropped',
  severity: 'error',
  title: 'A promise was neither kept nor carried on',
  question: 'Who keeps what was promised to the user?',
  definition:
    'Raised at the end of a run for a promise that is still open, if control passed from its holder without it, or if the ' +
    'result that it waited for never reached its holder (a helper that does not return, or whose report is not received), or ' +
    'reached it and nothing was said any more. A promise that was carried on, and one that is open beyond the run with nothing ' +
    'outstanding, are no findings. Before the end of the run nobody can say.',
  searchesWordsOf: 'agents',
  check(input) {
    const open = [...input.run.commitments.values()].filter((commitment) => latest(commitment).open)
    if (open.length === 0) return { findings: [] }
    if (!input.run.ended) return notYet(input, open)
    return { findings: open.flatMap((commitment) => dropped(input, commitment)) }
  },
}

function notYet({ diffs }: CheckInput, open: readonly Commitment[]): CheckResult {
  const waiting = diffs.filter((diff) => open.some((commitment) => lostAt(diff, commitment)))
  return {
    findings: [],
    notJudged: waiting.map(({ handoff }) => ({
      handoff: handoff.id,
      reason: 'the run has not ended: the promise may still be kept',
    })),
  }
}

function dropped({ run, diffs }: CheckInput, commitment: Commitment): Draft[] {
  const lost = diffs.find((diff) => lostAt(diff, commitment) && !comesBack(run, diff))
  if (lost !== undefined) return [lostDraft(lost, commitment)]
  const carried = diffs.some(
    (diff) =>
      passesControl(diff.handoff) &&
      diff.commitments.some((crossing) => crossing.commitment === commitment && crossing.crossed),
  )
  const awaited = carried ? undefined : awaitedResult(run, commitment)
  return awaited === undefined ? [] : [strandedDraft(commitment, awaited)]
}

/** Control passed from its holder, and the promise did not. */
function lostAt({ handoff, commitments }: HandoffDiff, commitment: Commitment): boolean {
  return (
    passesControl(handoff) &&
    commitments.some(
      (crossing) =>
        crossing.commitment === commitment &&
        crossing.open &&
        crossing.holder === 'sender' &&
        !crossing.crossed,
    )
  )
}

/** Its holder gets the task again, and with it its own promise. */
function comesBack(run: Run, { handoff, receipt }: HandoffDiff): boolean {
  if (handoff.from === undefined || handoff.from === receipt!.by) return false
  return receivedBefore(run, handoff.from, run.events.length).some(
    (later) => later.receipt.step > receipt!.step && passesControl(later.handoff),
  )
}

function lostDraft(diff: HandoffDiff, commitment: Commitment): Draft {
  const { handoff } = diff
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'commitment', id: commitment.id },
    message:
      `${commitment.agent ?? handoff.from ?? 'The sender'} had promised ${quote(commitment.text || commitment.id)} (${commitment.id}). ${receiverOf(handoff)} took over ` +
      'without it, and until the end of the run nobody kept it. The user waits for what nobody knows of.',
    evidence: [
      { step: firstStep(commitment), side: 'sender', path: `commitment ${commitment.id}` },
      ...bothSides(diff),
    ],
    remedy: 'Carry open promises in the record: commitments [{id, text}]; close them when they are kept.',
    trait: commitment.text || commitment.id,
  }
}

function strandedDraft(commitment: Commitment, { handoff, step, words }: Awaited): Draft {
  const holder = commitment.agent ?? handoff.from ?? 'The agent'
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'commitment', id: commitment.id },
    message:
      `${holder} had promised ${quote(commitment.text || commitment.id)} (${commitment.id}), and ${words}. ` +
      'The run ended with the promise open; the user is told nothing.',
    evidence: [{ step: firstStep(commitment), path: `commitment ${commitment.id}` }, { step }],
    remedy:
      'Deliver the result to whoever made the promise, and let it speak or hand the promise on before the run ends.',
    trait: commitment.text || commitment.id,
  }
}
