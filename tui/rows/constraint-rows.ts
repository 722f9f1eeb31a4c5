import type { Attribution, ConstraintCrossing, HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { agentsOf } from '../../replay/phrase.ts'
import type { DiffRow } from './diff-row.ts'

/** What binds the plan, and what was promised. */
export function constraintRows(diff: HandoffDiff): DiffRow[] {
  return [...diff.constraints.map((crossing) => constraintRow(crossing, diff)), ...commitments(diff)]
}

function constraintRow(crossing: ConstraintCrossing, diff: HandoffDiff): DiffRow {
  const { constraint, degree, similarity, received, attribution } = crossing
  const share = similarity === undefined ? '' : ` (${Math.round(similarity * 100)} % of the words)`
  const good = degree === 'same' && attribution === 'carried'
  return {
    id: constraint.id,
    subject: constraint.id,
    left: [constraint.id, `  "${constraint.text}"`],
    mark: good ? '✓' : attribution === 'carried' ? '!' : '✗',
    verdict: `${degree}${share}`,
    right: received === undefined ? ['nothing'] : [`"${received.text ?? ''}"`, `  ${received.path}`],
    rests: received === undefined ? [] : [received.path],
    detail: [
      { text: sentence(attribution, crossing, diff), tone: attribution === 'carried' ? 'good' : 'error' },
      ...(constraint.check === undefined ? [] : [{ text: `check ${JSON.stringify(constraint.check)}` }]),
    ],
    value: constraint.versions.map(({ value }) => value.event),
    change:
      received?.text === undefined || received.text === constraint.text
        ? undefined
        : { before: constraint.text, after: received.text },
  }
}

/** Did the receiver ignore the rule, or did the runtime fail to pass it? */
function sentence(
  attribution: Attribution,
  { violations }: ConstraintCrossing,
  { handoff }: HandoffDiff,
): string {
  const [sender = 'the sender', receiver = 'the receiver'] = agentsOf(handoff)
  const broken =
    violations.length === 0 ? '' : ` Broken at step ${violations.map((step) => step + 1).join(', ')}.`
  const says: Record<Attribution, string> = {
    'not in state': `the runtime of ${sender} never had this rule, so nothing could pass it on.`,
    'dropped at the handoff': `the runtime of ${sender} had this rule and did not pass it: ${receiver} could not know.`,
    'carried, not followed': `the rule reached ${receiver}, which did not follow it.`,
    carried: `the rule reached ${receiver}.`,
  }
  return `${attribution}: ${says[attribution]}${broken}`
}

function commitments({ commitments: found }: HandoffDiff): DiffRow[] {
  return found
    .filter(({ open }) => open)
    .map(({ commitment, crossed, path }) => ({
      id: commitment.id,
      subject: commitment.id,
      left: [`${commitment.id} (promise)`, `  "${commitment.text}"`],
      mark: crossed ? '✓' : '✗',
      verdict: crossed ? 'crossed' : 'absent',
      right: [path ?? 'nothing'],
      rests: path === undefined ? [] : [path],
      detail: [
        {
          text: `promise ${commitment.id} ${crossed ? 'crossed' : 'was open and did not cross'}`,
          tone: crossed ? 'good' : 'error',
        },
      ],
      value: commitment.versions.map(({ value }) => value.event),
    }))
}
