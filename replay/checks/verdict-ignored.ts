import { canonicalJson } from '../../model/hash.ts'
import { textOfContent } from '../../model/items.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import { toolStems } from '../diff/mention.ts'
import { type Dispatch, writeDispatches } from '../facts/dispatches.ts'
import { userTurns } from '../facts/user-turns.ts'
import { requestedAction, type Verdict, verdictsOn } from '../facts/verdicts.ts'
import type { Draft } from '../finding.ts'
import { isGiven, readApprovalState } from '../fold/approval-state.ts'
import { firstStep } from '../history.ts'
import { aboutHandoff, nameOf, quote, receiverOf } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'

export const verdictIgnored: Check = {
  id: 'verdict-ignored',
  severity: 'error',
  title: 'The action ran against the verdict',
  question: 'Did the sender keep to the verdict?',
  definition:
    'Raised when a handoff got the verdict block or request_changes (as an event, or in the return of the reviewer), and the action that it was about ran afterwards: a ' +
    'write that was proposed before the verdict, or whose tool the handoff names. Where the handoff asked to approve or ' +
    'execute and names no action, any write of its sender counts. Not raised after a later approval, a later handoff of the ' +
    'sender that was approved, or new words of the user.',
  check({ run }) {
    const refused = run.handoffs.flatMap((handoff) => {
      const verdict = handoff.sent && verdictsOn(run, handoff).findLast(isRefusal)
      return verdict === undefined ? [] : [{ handoff, verdict }]
    })
    if (refused.length === 0) return { findings: [] }
    const writes = writeDispatches(run)
    const turns = userTurns(run)
    const approvals = approvedSteps(run)
    return {
      findings: refused.flatMap(({ handoff, verdict }) => {
        const isLifted = (step: Step) =>
          turns.between(verdict.step, step) || approvals.some((at) => at > verdict.step && at < step)
        const broke = writes.find(
          (write) =>
            write.step > verdict.step && !isLifted(write.step) && isTheAction(run, write, handoff, verdict),
        )
        return broke === undefined ? [] : [draft(handoff, verdict, broke)]
      }),
    }
  },
}

function isRefusal({ word }: Verdict): boolean {
  return word === 'block' || word === 'request_changes'
}

/** Steps at which somebody said yes: a verdict or an approval. */
function approvedSteps(run: Run): Step[] {
  const verdicts = run.handoffs.flatMap((handoff) =>
    verdictsOn(run, handoff)
      .filter(({ word }) => word === 'approve')
      .map(({ step }) => step),
  )
  const approvals = [...run.approvals.values()].flatMap(({ versions }) =>
    versions.filter(({ value }) => isGiven(readApprovalState(value.state))).map(({ step }) => step),
  )
  return [...verdicts, ...approvals]
}

function isTheAction(run: Run, write: Dispatch, handoff: Handoff, verdict: Verdict): boolean {
  const { operation } = write
  if (operation.effectAssumed) return false
  if (firstStep(operation) < handoff.sent!.step) return true
  const named = contractWords(handoff)
  if (names(named, operation.tool)) return true
  const asked = requestedAction(handoff)
  const isGate = asked === 'approve' || asked === 'execute'
  // Whoever was asked for changes makes them, and what a review mentions may well be among them.
  if (verdict.word === 'block' || isGate) {
    if (names(briefWords(handoff), operation.tool)) return true
  }
  return isGate && named === '' && write.agent === handoff.from && !isAskedAgain(run, handoff, write.step)
}

/** What the record says is to be done, in lower case. */
function contractWords({ sent }: Handoff): string {
  const fields = sent!.record?.raw ?? {}
  return [fields.next_action, fields.pending_actions, fields.open_operations, sent!.event.action]
    .map((value) =>
      value === undefined || jsonString(value).length < 3 ? '' : canonicalJson(value).toLowerCase(),
    )
    .join('')
}

function briefWords({ sent, reason }: Handoff): string {
  const fields = sent!.record?.raw ?? {}
  return `${reason ?? ''} ${textOfContent(sent!.event.brief)} ${canonicalJson([fields.task, fields.intent])}`.toLowerCase()
}

/** The sender comes back for another verdict: what it wrote in between was the rework. */
function isAskedAgain(run: Run, handoff: Handoff, step: Step): boolean {
  return run.handoffs.some(
    (other) =>
      other.from === handoff.from &&
      other.sent !== undefined &&
      other.sent.step > step &&
      requestedAction(other) !== undefined,
  )
}

function names(words: string, tool: string): boolean {
  if (tool === '' || words === '') return false
  if (words.includes(tool.toLowerCase())) return true
  const stems = toolStems(tool)
  return stems.length > 0 && stems.every((stem) => words.includes(stem))
}

function draft(handoff: Handoff, verdict: Verdict, write: Dispatch): Draft {
  const { word } = verdict
  const comments = textOfContent(verdict.comments)
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'operation', id: write.operation.op },
    message:
      `${verdict.by ?? receiverOf(handoff)} answered ${handoff.id} with ${word}${comments === '' ? '' : ` (${quote(comments)})`}, and ` +
      `${write.agent ?? 'an agent'} ran ${nameOf(write.operation)} all the same. A review that does not bind protects nothing.`,
    evidence: [
      { step: handoff.sent!.step, side: 'sender' },
      { step: verdict.step, side: 'receiver' },
      { step: write.step },
    ],
    remedy: 'Let the runtime hold the action until the verdict is approve; after request_changes ask again.',
    trait: `${word} ${write.operation.tool}`,
  }
}
