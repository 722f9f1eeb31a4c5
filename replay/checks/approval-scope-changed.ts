import { canonicalJson } from '../../model/hash.ts'
import type { Check, CheckInput } from '../check.ts'
import { approvedCalls, scopeFault } from '../facts/approval-scope.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, nameOf, quote, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

export const approvalScopeChanged: Check = {
  id: 'approval-scope-changed',
  severity: 'error',
  title: 'What runs is not what was shown or approved',
  question: 'Does a yes still cover exactly what it was given for?',
  definition:
    'Raised when an approval reaches the receiver with another action or scope, when the operation that waits for it (or ran ' +
    'under it) is another tool or has other arguments than were shown or approved, and when arguments change after the yes. ' +
    'A scope may leave arguments out; prose is not compared.',
  check(input) {
    return { findings: [...changedOnTheWay(input), ...otherThanApproved(input.run)] }
  },
}

function changedOnTheWay({ diffs }: CheckInput): Draft[] {
  return diffs.flatMap((diff) =>
    diff.approvals
      .filter(({ verdict }) => verdict === 'scope changed')
      .map(({ approval, version, received, evidence }) => {
        const before = `${version.action ?? ''} ${canonicalJson(version.scope ?? null)}`
        const after = `${received?.action ?? version.action ?? ''} ${canonicalJson(received?.scope ?? version.scope ?? null)}`
        return {
          ...aboutHandoff(diff.handoff),
          subject: { kind: 'approval', id: approval.id },
          message:
            `Approval ${approval.id} was asked for ${quote(before)}; ${receiverOf(diff.handoff)} holds it for ${quote(after)}. ` +
            'A yes then allows something that nobody was asked about.',
          evidence,
          remedy: 'Carry action and scope of a pending approval unchanged, or ask again.',
          trait: version.action ?? 'approval',
        }
      }),
  )
}

function otherThanApproved(run: Run): Draft[] {
  return [...run.approvals.values()].flatMap((approval) => {
    for (const call of approvedCalls(run, approval)) {
      const fault = scopeFault(call)
      if (fault === undefined) continue
      const { operation, version, step } = call
      const ran = call.dispatched ? 'ran' : 'is to run'
      return [
        {
          agents: [version.agent ?? operation.agent].filter((agent) => agent !== undefined),
          subject: { kind: 'approval', id: approval.id },
          message:
            `Approval ${approval.id} ${fault.words}, and ${nameOf(operation)} ${ran} under it. ` +
            'The person said yes to something else than what happens.',
          evidence: [
            { step: call.asked, side: 'sender' as const, path: fault.path },
            { step, side: 'receiver' as const, path: `operation ${operation.op}` },
          ],
          remedy: 'Show the tool and the arguments that will really run, and ask again when they change.',
          trait: operation.tool,
        },
      ]
    }
    return []
  })
}
