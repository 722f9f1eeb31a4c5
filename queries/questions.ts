/** What an incident review asks, and the command that answers it. */
export type ReviewQuestion = { question: string; command: string }

/** In the order in which a review goes: what happened, why, how often, since when. */
export const REVIEW_QUESTIONS: readonly ReviewQuestion[] = [
  {
    question: 'Which handoffs lost the key of a write in doubt, and what was that write?',
    command: `handspan sql "SELECT run, handoff, subject, tool, key, degree, message FROM findings LEFT JOIN crossings USING (run, handoff, attempt, subject_kind, subject) WHERE check_id = 'op-in-doubt-key-missing' AND subject_kind = 'operation' AND handoff IS NOT NULL"`,
  },
  {
    question: 'Between which agents does that happen, and how often?',
    command: 'handspan query key-coverage --since 30d --by pair',
  },
  {
    question: 'Did the receiver ignore the rule, or did the runtime fail to pass it?',
    command: `handspan sql "SELECT check_id, attribution, count(*) AS times FROM findings WHERE attribution IS NOT NULL GROUP BY ALL"`,
  },
  {
    question: 'Was anything done twice?',
    command: `handspan sql "SELECT run, operation, repeats, repeated_by, tool, agent, handoff FROM operations WHERE repeats IS NOT NULL"`,
  },
  {
    question: 'Did the receiver find out what had happened before it went on?',
    command: 'handspan query settle-before-plan --by agent',
  },
  {
    question: 'Which fields of the contract does each pair of agents leave out?',
    command: 'handspan query completeness --by pair',
  },
  {
    question: 'Who started the task, and does the receiver still know?',
    command: 'handspan query origin-preserved --by pair',
  },
  {
    question: 'Is anything on its way that nobody received, accepted in time or answered for?',
    command: `handspan sql "SELECT run, handoff, attempt, pair, outcome, late FROM handoffs WHERE deliveries = 0 OR late"`,
  },
  {
    question: 'When did it begin?',
    command: 'handspan query constraint-retention --since 90d --chart',
  },
  {
    question: 'What is new since the last release?',
    command: 'handspan query findings --since 7d',
  },
]
