import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { undeliveredResult } from '../facts/undelivered-result.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, quote, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

export const resultNotDelivered: Check = {
  id: 'result-not-delivered',
  severity: 'error',
  title: 'A return came back without the result',
  question: 'Did the agent that waited get what it waited for?',
  definition:
    'Raised for a return whose sender had a result (its last words or tool result, or a call of its own that settled since ' +
    'it got the task), while the receiver got nothing of it: not the text, no new words of the sender in any form (a notice of a few words ' +
    'that holds no figure, id or word of a result with figures is none), no file, ' +
    'and no status, evidence, completed effect or open operation in the record. Notices of the framework that a transfer ' +
    'went back are no result.',
  judgesByWords: true,
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => undelivered(run, diff)) }
  },
}

function undelivered(run: Run, diff: HandoffDiff): Draft[] {
  const lost = undeliveredResult(run, diff)
  if (lost === undefined) return []
  const { handoff, sent } = diff
  const { item, operation } = lost
  const result = item?.text ?? `${operation!.tool} (${operation!.op})`
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'item', id: item?.id ?? item?.path ?? operation!.op },
      message:
        `${handoff.from ?? 'The sender'} returned with a result (${quote(result)}), and ${receiverOf(handoff)} got nothing of it. ` +
        'It looks as if the question had never been asked, so it is asked again.',
      evidence: [
        {
          step: item === undefined ? operation!.versions.at(-1)!.step : sent!.step,
          ...(item && { path: item.path }),
          side: 'sender',
        },
        ...bothSides(diff).slice(1),
      ],
      remedy:
        'Let the answer cross with the return, in the items or as status and completed_effects of the record.',
      trait: handoff.from ?? 'return',
    },
  ]
}
