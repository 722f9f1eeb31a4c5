import type { Item } from '../../model/items.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { groupBy } from '../facts/dispatches.ts'
import { isPlumbing } from '../facts/plumbing.ts'
import { type Policy, readPolicy } from '../facts/policy.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, listed, nameOfItem, receiverOf } from '../phrase.ts'

// Fewer items than this may be all there was to tell: then nothing shows that a summary was promised and left out.
const WORTH_A_SUMMARY = 3

export const filterNotApplied: Check = {
  id: 'filter-not-applied',
  severity: 'error',
  title: 'Items crossed that the policy excludes',
  question: 'Did the filter that the sender declared do what it says?',
  definition:
    "Raised once a handoff and word of its policy for items of the sender's that the receiver has although the policy " +
    'excludes them: tools of any kind (hosted calls, results, requests for a yes, reasoning that leads to a call) where ' +
    'tools are removed; what lies outside the last pair, the last so many messages or the current request; what `allows` ' +
    'does not name; the whole raw list where a summary was declared and none is there. Words that are not understood ' +
    "exclude nothing, and items that the receiver's side added are not judged, except tool items of another agent's.",
  check({ diffs }) {
    return { findings: diffs.flatMap(excludedItems) }
  },
}

type Excluded = { item: Item; source: Item; word: string }

function excludedItems(diff: HandoffDiff): Draft[] {
  const { sent, receipt } = diff
  if (sent?.items === undefined || receipt?.items === undefined || sent.event.policy === undefined) return []
  const policy = readPolicy(sent.event.policy, sent.items)
  const excluded = arrivals(diff, sent.items).flatMap(({ item, source }) => {
    const word = policy.excludes(source)
    return word === undefined ? [] : [{ item, source, word }]
  })
  const found = [...excluded, ...unsummarised(diff, policy)]
  return [...groupBy(found, ({ word }) => word)].map(([word, group]) => excludedDraft(diff, word, group))
}

/** The receiver's items with what each was at the sender: aligned, or a tool item of the same call in other clothes. */
function arrivals({ items }: HandoffDiff, before: readonly Item[]): { item: Item; source: Item }[] {
  const byCall = new Map<string, Item>()
  for (const item of before) if (item.call !== undefined && isPlumbing(item)) byCall.set(item.call, item)
  return items.fates.flatMap(({ before: source, after }) => {
    if (after === undefined) return []
    const same =
      source ?? (isPlumbing(after) && after.call !== undefined ? byCall.get(after.call) : undefined)
    return same === undefined ? [] : [{ item: after, source: same }]
  })
}

function unsummarised({ items, receipt, sent }: HandoffDiff, policy: Policy): Excluded[] {
  const word = policy.summarises
  if (word === undefined || sent!.items!.length < WORTH_A_SUMMARY || receipt!.instructions !== undefined)
    return []
  const raw = items.fates.filter(({ fate }) => fate === 'kept')
  const wasTold =
    raw.length < items.fates.length ||
    raw.some(({ after }) => after!.type === 'summary' || after!.covers.length > 0)
  return wasTold ? [] : raw.map(({ before, after }) => ({ item: after!, source: before!, word }))
}

function excludedDraft(diff: HandoffDiff, word: string, excluded: readonly Excluded[]): Draft {
  const { handoff, sent, receipt } = diff
  const types = [...new Set(excluded.map(({ item }) => item.type.replaceAll('_', ' ')))]
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'item', id: excluded[0]!.item.id ?? excluded[0]!.item.path },
    message:
      `The policy of the handoff says ${word === 'allows' ? 'what is allowed' : word}, and ${receiverOf(handoff)} still got ` +
      `${excluded.length === 1 ? 'an item' : `${excluded.length} items`} that it excludes: ` +
      `${listed(excluded.map(({ item }) => nameOfItem(item)))}. The isolation that was declared is not there.`,
    evidence: [
      ...excluded.map(({ item }) => ({ step: receipt!.step, path: item.path, side: 'receiver' as const })),
      ...excluded
        .slice(0, 1)
        .map(({ source }) => ({ step: sent!.step, path: source.path, side: 'sender' as const })),
      ...bothSides(diff).slice(0, 1),
    ],
    remedy: `Let the filter decide by what may cross, not by a list of what may not: it missed ${listed(types)}.`,
    trait: `${word} ${types.sort().join(' ')}`,
  }
}
