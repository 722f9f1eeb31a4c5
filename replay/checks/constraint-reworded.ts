import type { Check } from '../check.ts'
import type { ConstraintCrossing, HandoffDiff } from '../diff/handoff-diff.ts'
import { strictWordLost, weakWordAdded } from '../facts/strictness.ts'
import type { Draft } from '../finding.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'
import { wordsOf } from '../text.ts'

export const constraintReworded: Check = {
  id: 'constraint-reworded',
  severity: 'info',
  title: 'A rule crossed only in other words',
  question: 'Is a rule still the same rule after the handoff?',
  definition:
    'Raised when a constraint crossed neither unchanged nor verbatim, but in words that share at least half of its own; the ' +
    'similarity is the share of words that both have. A warning when a number of the rule is missing, or the word that makes ' +
    'it strict (such as never, not, only, must, without) with nothing as strict in its place, and when a word that weakens it ' +
    '(such as try, avoid, should) was added.',
  judgesByWords: true,
  check({ diffs }) {
    return {
      findings: diffs.flatMap((diff) =>
        diff.constraints
          .filter(({ degree }) => degree === 'reworded')
          .map((crossing) => draft(diff, crossing)),
      ),
      notJudged: missingSenders(diffs),
    }
  },
}

function draft(diff: HandoffDiff, { constraint, similarity, received, evidence }: ConstraintCrossing): Draft {
  const text = received?.text ?? ''
  const there = wordsOf(text)
  const missing = [...wordsOf(constraint.text)].filter((word) => !there.has(word))
  const strict = strictWordLost(constraint.text, text)
  const lost = [
    ...(strict === undefined ? [] : [strict.toLowerCase()]),
    ...missing.filter((word) => /\p{N}/u.test(word)),
  ]
  const weak = weakWordAdded(constraint.text, text)
  return {
    ...aboutHandoff(diff.handoff),
    ...(lost.length > 0 || weak !== undefined ? { severity: 'warning' as const } : {}),
    subject: { kind: 'constraint', id: constraint.id },
    message:
      `The rule ${quote(constraint.text)} (${constraint.id}) reached ${receiverOf(diff.handoff)} as ${quote(text)}; similarity ` +
      `${(similarity ?? 0).toFixed(2)}. ${differently(lost, missing, weak)}, and a ` +
      'check by id or hash no longer finds it.',
    evidence,
    remedy: 'Carry the text as it is, with its id: record constraints [{id, text, check}].',
    trait: constraint.text || constraint.id,
  }
}

function differently(lost: readonly string[], missing: readonly string[], weak: string | undefined): string {
  const listed = (words: readonly string[]) => [...new Set(words)].slice(0, 5).map(quote).join(', ')
  if (weak !== undefined) {
    return `With ${quote(weak)} in it${lost.length === 0 ? '' : `, and without ${listed(lost)}`}, it may bind less`
  }
  return missing.length === 0
    ? 'It may bind differently'
    : `Without ${listed([...lost, ...missing])} it may bind differently`
}
