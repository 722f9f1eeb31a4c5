import type { Check } from '../check.ts'
import { findRepeats } from '../facts/repeats.ts'
import { nameOf } from '../phrase.ts'

export const retryNewKey: Check = {
  id: 'retry-new-key',
  severity: 'error',
  title: 'A call in doubt was tried again under another key',
  question: 'Does a retry keep the key of what it retries?',
  definition:
    'Raised when a write with the same tool and arguments leaves under another key while the first one was sent or unknown. ' +
    'A new key is right once the first is known to have failed or its key was closed, and where the user asked for it anew.',
  check({ run }) {
    const retries = findRepeats(run).filter(
      ({ first, again, inDoubt, sharedKey }) =>
        inDoubt && !sharedKey && first.key !== undefined && again.key !== undefined,
    )
    return {
      findings: retries.map(({ first, again }) => ({
        agents: [...new Set([first.agent, again.agent])].filter((agent) => agent !== undefined),
        subject: { kind: 'operation', id: again.operation.op },
        message:
          `${nameOf(first.operation)} left under ${first.key} and nobody knew its outcome when ${nameOf(again.operation)} ` +
          `tried the same under ${again.key}. If the first request landed, or lands later, the effect is made twice.`,
        evidence: [
          { step: first.step, path: 'key', text: first.key! },
          { step: again.step, path: 'key', text: again.key! },
        ],
        remedy: `Retry under ${first.key}. Use a new key only after a refusal is confirmed or ${first.key} is closed.`,
        trait: again.operation.tool,
      })),
    }
  },
}
