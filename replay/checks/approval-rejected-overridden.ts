import type { Check } from '../check.ts'
import { findOverride } from '../facts/override.ts'
import { nameOf, quote } from '../phrase.ts'

export const approvalRejectedOverridden: Check = {
  id: 'approval-rejected-overridden',
  severity: 'error',
  title: 'A refused action was carried out anyway',
  question: 'Does a no hold, whoever acts?',
  definition:
    'Raised when a call leaves after a refusal and does what was refused (same tool, and the arguments of the refused call or ' +
    'its scope), by whatever agent and under whatever operation or key, unless a yes for it was given in between. A changed ' +
    'request is another one.',
  check({ run }) {
    return {
      findings: [...run.approvals.values()].flatMap((approval) => {
        const override = findOverride(run, approval)
        if (override === undefined) return []
        const { operation, step, refused } = override
        const { value } = approval.versions.find((version) => version.step === refused)!
        const reason = value.reason === undefined ? '' : ` (${quote(value.reason)})`
        return [
          {
            agents: [...new Set([value.agent, operation.agent])].filter((agent) => agent !== undefined),
            subject: { kind: 'operation', id: operation.op },
            message:
              `${value.by ?? 'A person'} refused ${value.action ?? nameOf(operation)}${reason} as ${approval.id}; ` +
              `${operation.agent ?? 'an agent'} carried it out as ${nameOf(operation)}. Nobody allowed it in between.`,
            evidence: [
              { step: refused, side: 'sender' as const, path: `approval ${approval.id}` },
              { step, side: 'receiver' as const, path: `operation ${operation.op}` },
            ],
            remedy: 'Keep refusals in the state of the run, and check a call against them before it leaves.',
            trait: operation.tool,
          },
        ]
      }),
    }
  },
}
