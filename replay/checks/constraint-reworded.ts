import type { Check } from '../check.ts'
import type { ConstraintCrossing, HandoffDiff } from '../diff/handoff-diff.ts'
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
    'similarity is the share of words that both have. A warning when a number of the rule is missing.',
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
  const numbers = missing.filter((word) => /\p{N}/u.test(word))
  return {
    ...aboutHandoff(diff.handoff),
    ...(numbers.length > 0 ? { severity: 'warning' as const } : {}),
    subject: { kind: 'constraint', id: constraint.id },
    message:
      `The rule ${quote(constraint.text)} (${constraint.id}) reached ${receiverOf(diff.handoff)} as ${quote(text)}; similarity ` +
      `${(similarity ?? 0).toFixed(2)}. ${missing.length === 0 ? 'It may bind differently' : `Without ${missing.slice(0, 5).join(', ')} it may bind differently`}, and a ` +
      'check by id or hash no longer finds it.',
    evidence,
    remedy: 'Carry the text as it is, with its id: record constraints [{id, text, check}].',
    trait: constraint.text || constraint.id,
  }
}
