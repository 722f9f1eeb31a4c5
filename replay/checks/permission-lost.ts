import type { Check } from '../check.ts'
import { aboutHandoff, bothSides, listed, receiverOf } from '../phrase.ts'

export const permissionLost: Check = {
  id: 'permission-lost',
  severity: 'warning',
  title: 'The receiver lacks what it should be able to do',
  question: 'Can the receiver use what it was configured with?',
  definition:
    'Raised when a tool that the receiver is configured with is not in its payload, when a tool that the sender expressly ' +
    'allowed is there but may not be used without asking, and when a stricter mode took the place of the one passed on. A ' +
    'helper that is deliberately given fewer tools, or a read-only mode, is no finding.',
  check({ diffs }) {
    return {
      findings: diffs.flatMap((diff) => {
        const { lost } = diff.permissions
        if (lost.length === 0) return []
        const receiver = receiverOf(diff.handoff)
        const tools = lost.map(({ tool }) => tool)
        return [
          {
            ...aboutHandoff(diff.handoff),
            subject: { kind: 'permission', id: tools[0]! },
            message:
              `${receiver} cannot use ${listed(lost.map(({ tool, rule }) => `${tool} (${rule})`))}. ` +
              'Where nobody is there to answer its questions, the work stands still.',
            evidence: bothSides(diff).map((entry) => ({ ...entry, path: 'permissions' })),
            remedy:
              'Pass the permissions and the mode on with the handoff, and start the receiver with them.',
            trait: [...tools].sort().join(' '),
          },
        ]
      }),
    }
  },
}
