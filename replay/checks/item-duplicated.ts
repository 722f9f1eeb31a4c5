import type { Item } from '../../model/items.ts'
import type { Check } from '../check.ts'
import { duplicatesOf } from '../diff/duplicates.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { timesSaidBefore } from '../facts/times-said.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, listed, nameOfItem, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

export const itemDuplicated: Check = {
  id: 'item-duplicated',
  severity: 'warning',
  title: 'The same item crossed twice',
  question: 'Did an item cross twice, or raw beside a summary that tells it?',
  definition:
    'Raised once a handoff for items that stand a second time at the receiver: the same id, the same call or result, the ' +
    'same words more often than the sender had them and the receiver had heard them, or raw items that a summary beside them, or a transcript in ' +
    'another message, covers or repeats word for ' +
    "word. Short words of the user are not taken for a copy. Needs the receiver's items.",
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => duplicateFindings(run, diff)) }
  },
}

function duplicateFindings(run: Run, diff: HandoffDiff): Draft[] {
  const { receipt, handoff } = diff
  if (receipt?.items === undefined) return []
  if (diff.items.judged && !diff.items.fates.some(({ fate }) => fate === 'duplicated')) return []
  const duplicates = duplicatesOf(
    receipt.items,
    sourcesOf(diff, receipt.items),
    timesSaidBefore(run, receipt),
  )
  const first = [...duplicates][0]
  if (first === undefined) return []
  const items = [...duplicates.keys()]
  const originals = [...new Set(duplicates.values())]
  const told = [...duplicates].some(
    ([item, { covers, type, text }]) =>
      covers.length > 0 || type === 'summary' || (item.type === 'message' && text !== item.text),
  )
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'item', id: first[0].id ?? first[0].path },
      message:
        `${receiverOf(handoff)} got the same thing twice: ${listed(items.map(nameOfItem))} ` +
        `${items.length === 1 ? 'repeats' : 'repeat'} ${listed(originals.map(nameOfItem))}. ` +
        'It costs tokens at every hop, and one action can be taken for two.',
      evidence: [
        ...[...originals, ...items].map(({ path }) => ({
          step: receipt.step,
          path,
          side: 'receiver' as const,
        })),
        ...bothSides(diff).slice(0, 1),
      ],
      remedy: told
        ? 'Pass on the summary or the raw items, not both.'
        : 'Add each item once: merge by id and call id.',
      trait: `${told ? 'summary' : 'copy'} ${first[0].type}`,
    },
  ]
}

/** The sender's item behind each one at the receiver; where the sender's were not captured, each counts as its own. */
function sourcesOf({ items }: HandoffDiff, after: readonly Item[]): Map<Item, Item> {
  if (!items.judged) return new Map(after.map((item) => [item, item]))
  return new Map(items.fates.flatMap(({ before, after: to }) => (before && to ? [[to, before]] : [])))
}
