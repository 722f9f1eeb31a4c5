import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText } from '../../model/json.ts'
import type { Check } from '../check.ts'
import { isRecorded } from '../diff/degree.ts'
import type { HandoffDiff, OperationCrossing } from '../diff/handoff-diff.ts'
import { effectArguments } from '../facts/effects.ts'
import { readPolicy } from '../facts/policy.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, nameOf, receiverOf, senderEntry } from '../phrase.ts'

export const opAltered: Check = {
  id: 'op-altered',
  severity: 'error',
  title: 'A key crossed with another tool or other arguments',
  question: 'Does the receiver know what the key stands for?',
  definition:
    'Raised when the record that the receiver got names the key of an operation of the sender with another tool or other ' +
    'arguments than it was sent with. Arguments that hold the key do not count, nor do values that a declared redaction removed.',
  check({ diffs }) {
    // Only a record can alter an operation.
    const recorded = diffs.filter(({ receipt }) => receipt?.record !== undefined)
    return {
      findings: recorded.flatMap((diff) =>
        diff.operations.flatMap((crossing) => draft(diff, crossing) ?? []),
      ),
    }
  },
}

function draft(diff: HandoffDiff, crossing: OperationCrossing): Draft | undefined {
  const { operation, version } = crossing
  // Asked first: how a call crossed that stands in no record is costly to find out.
  if (!isRecorded(operation, version, diff.receipt!)) return undefined
  if (crossing.degree !== 'altered') return undefined
  const changes = crossing.differences.filter((difference) => changesEffect(diff, crossing, difference))
  if (changes.length === 0) return undefined
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'operation', id: operation.op },
    message:
      `${nameOf(operation)} left under ${version.key}, and the record that ${receiverOf(diff.handoff)} got gives that key ` +
      `${changes.map(({ field, sent, received }) => `${field} ${canonicalJson(received)} instead of ${canonicalJson(sent)}`).join(' and ')}. ` +
      'A repeat under the key would not do what was sent, or would be refused.',
    evidence: [senderEntry(operation, diff.sent!.step), ...crossing.evidence, ...bothSides(diff)],
    remedy: 'Copy tool and arguments into the record from the operations log, as they were sent.',
    trait: `${operation.tool} ${changes.map(({ field }) => field).join(' ')}`,
  }
}

function changesEffect(
  { sent }: HandoffDiff,
  { version }: OperationCrossing,
  difference: OperationCrossing['differences'][number],
): boolean {
  if (difference.field === 'tool') return true
  if (difference.field !== 'args') return false
  if (readPolicy(sent?.event.policy, sent?.items ?? []).redacts) return false
  const of = (args: unknown) => canonicalJson(effectArguments(fromJsonText(args), version.key))
  return of(difference.sent) !== of(difference.received)
}
