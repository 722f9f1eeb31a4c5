import type { Check } from '../check.ts'
import type { HandoffDiff, ItemFate } from '../diff/handoff-diff.ts'
import { isNameOfAgent } from '../facts/agents.ts'
import { plainName } from '../facts/tool-names.ts'
import type { Draft } from '../finding.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, nameOfItem } from '../phrase.ts'
import type { Run } from '../run.ts'

// Words that name a role. They say nothing about who it was, unless an agent of the run is called so.
const ROLES = new Set(['user', 'human', 'assistant', 'ai', 'model', 'agent', 'system', 'developer', 'tool'])

export const authorChanged: Check = {
  id: 'author-changed',
  severity: 'error',
  title: 'An item has another author at the receiver',
  question: 'Is everything still said by whoever said it?',
  definition:
    'Raised for an item that both sides hold under two different authors. An author that only one side names is no change, ' +
    'and neither is a role word in its place, unless an agent of the run has it for its name, the item has become one of ' +
    "the user, or the user's words have become those of an agent other than the receiver.",
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => changedAuthors(run, diff)), notJudged: missingSenders(diffs) }
  },
}

function changedAuthors(run: Run, diff: HandoffDiff): Draft[] {
  if (!diff.complete) return []
  return diff.items.fates
    .filter((fate) => takenFromUser(fate, diff) || (isOtherAuthor(run, fate) && !saidByBoth(fate, diff)))
    .map(({ before, after }) => ({
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'item', id: after!.id ?? after!.call ?? after!.path },
      message:
        `${nameOfItem(after!)} is by ${before!.author ?? 'the user'} at the sender and by ${after!.author} at the receiver. ` +
        'A filter that goes by authors keeps or drops the wrong items, and the receiver answers for what it did not say.',
      evidence: [
        {
          step: diff.sent!.step,
          side: 'sender' as const,
          path: before!.path,
          text: before!.author ?? 'user',
        },
        { step: diff.receipt!.step, side: 'receiver' as const, path: after!.path, text: after!.author! },
      ],
      remedy:
        'Carry the author with the item; do not label what arrives with the name of whoever receives it.',
      trait: after!.tool ?? after!.type,
    }))
}

/** The receiver's own words may stand in the user's role at whoever it spoke to; those of others do not. */
function takenFromUser({ before, after }: ItemFate, { receipt }: HandoffDiff): boolean {
  if (before?.role !== 'user' || after?.role !== 'assistant') return false
  if (before.type !== 'message' || before.id === undefined || before.id !== after.id) return false
  return before.author === undefined && after.author !== undefined && after.author !== receipt!.by
}

function isOtherAuthor(run: Run, { before, after }: ItemFate): boolean {
  const [from, to] = [before?.author, after?.author]
  if (from === undefined || to === undefined) return false
  // Said by an agent there and by the user here: then the role word is a name.
  if (after!.role === 'user' && before!.role !== undefined && before!.role !== 'user') return from !== to
  if (isRole(run, from) || isRole(run, to)) return false
  return plainName(from) !== plainName(to)
}

function isRole(run: Run, author: string): boolean {
  return ROLES.has(author.toLowerCase()) && !isNameOfAgent(run, author)
}

/** Without ids, two agents who said the same words may have been taken for one. */
function saidByBoth({ before, after }: ItemFate, diff: HandoffDiff): boolean {
  const byName =
    (before!.id !== undefined && before!.id === after!.id) ||
    (before!.call !== undefined && before!.call === after!.call)
  if (byName) return false
  return (diff.sent?.items ?? []).some((item) => item.author === after!.author && item.text === after!.text)
}
