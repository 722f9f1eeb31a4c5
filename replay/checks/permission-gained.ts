import type { Check } from '../check.ts'
import { aboutHandoff, bothSides, listed, receiverOf } from '../phrase.ts'

export const permissionGained: Check = {
  id: 'permission-gained',
  severity: 'error',
  title: 'The receiver may do what the sender was denied',
  question: "Do the sender's denials hold below it?",
  definition:
    "Raised when the receiver has a tool, a scope of a tool or a mode that the sender's rules deny and its own do not, or made " +
    "a call that they deny. The rules are those passed with the handoff and, for a helper (delegate), the caller's own. A colleague with other " +
    'tools is no finding where the sender passed no rules on.',
  check({ diffs }) {
    return {
      findings: diffs.flatMap((diff) => {
        const { gained } = diff.permissions
        if (gained.length === 0) return []
        const tools = gained.map(({ tool }) => tool)
        const receiver = receiverOf(diff.handoff)
        return [
          {
            ...aboutHandoff(diff.handoff),
            subject: { kind: 'permission', id: tools[0]! },
            message:
              `${receiver} has ${listed(tools)}, against the rules of ${diff.handoff.from ?? 'the sender'} ` +
              `(${listed([...new Set(gained.map(({ rule }) => rule))])}). What ${diff.handoff.from ?? 'the sender'} must not do, it can have ` +
              `done by handing over to ${receiver}.`,
            evidence: bothSides(diff).map((entry) => ({
              ...entry,
              path: entry.side === 'sender' ? 'permissions' : 'tools',
            })),
            remedy: `Give ${receiver} no more than both are allowed, or declare the widening in the permissions of the handoff.`,
            trait: [...tools].sort().join(' '),
          },
        ]
      }),
    }
  },
}
