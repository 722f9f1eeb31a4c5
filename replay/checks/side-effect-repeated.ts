import type { Check } from '../check.ts'
import { type Dispatch, groupBy } from '../facts/dispatches.ts'
import { findRepeats, type Repeat } from '../facts/repeats.ts'
import type { Draft } from '../finding.ts'
import { nameOf } from '../phrase.ts'

export const sideEffectRepeated: Check = {
  id: 'side-effect-repeated',
  severity: 'error',
  title: 'The same effect was carried out twice',
  question: 'Was anything done twice that was wanted once?',
  definition:
    'Raised when a write with the same tool and arguments leaves a second time while the first may have landed, and no key ' +
    'tells the service that both are one. Not raised if the first is known to have failed or its key was closed, if the ' +
    'user spoke in between or the intents differ, or if the model sent both side by side. One approval used twice, or one ' +
    'call of the model carried out twice, is always a repeat. Calls whose effect is not declared are judged only with a key.',
  check({ run }) {
    const repeats = findRepeats(run).filter(({ sharedKey }) => !sharedKey)
    return { findings: [...groupBy(repeats, ({ again }) => again.effect).values()].map(draft) }
  },
}

function draft(repeats: Repeat[]): Draft {
  const { first, again } = repeats[0]!
  const dispatches = [...new Set(repeats.flatMap((repeat) => [repeat.first, repeat.again]))]
  const last = dispatches.at(-1)!
  const times = dispatches.length === 2 ? 'twice' : `${dispatches.length} times`
  return {
    agents: [...new Set([first.agent, again.agent])].filter((agent) => agent !== undefined),
    subject: { kind: 'operation', id: again.operation.op },
    message:
      `${nameOf(first.operation)} left ${times} with the same arguments: ${dispatches.map(told).join(', ')}. ` +
      `${approvalWords(first, last)}Unless the service compares them by itself, the effect is made ${times}.`,
    evidence: dispatches.map(({ step, operation }) => ({ step, path: `operation ${operation.op}` })),
    remedy: 'Give every attempt at one intended effect the same key, and send a new one only for a new wish.',
    trait: first.operation.tool,
  }
}

function told({ operation, key, agent }: Dispatch): string {
  const by = agent === undefined ? '' : ` by ${agent}`
  return `${operation.op}${by} ${key === undefined ? 'without a key' : `under ${key}`}`
}

function approvalWords(first: Dispatch, last: Dispatch): string {
  if (first.approval === undefined || first.approval !== last.approval) return ''
  return `Approval ${first.approval} was given once and used for each. `
}
