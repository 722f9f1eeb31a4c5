import { normaliseText } from '../../model/hash.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import type { Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import { dialogueOf, saidInItems } from './dialogue.ts'

/** The step at which another agent had put the question, if the user spoke after it and before the handoff. */
export function answeredBefore(run: Run, diff: HandoffDiff, question: string): Step | undefined {
  const { step: until, by } = diff.receipt!
  const { questions, userSteps } = dialogueOf(run)
  const asked = questions
    .get(normaliseText(question))
    ?.find(({ step, agent }) => step < until && agent !== by && anyBetween(userSteps, step, until))
  if (asked !== undefined) return asked.step
  const said = saidInItems(diff)
  const at = said.findIndex(({ isUser, agent, text }) => !isUser && agent !== by && text.includes(question))
  return at >= 0 && said.slice(at).some(({ isUser }) => isUser) ? diff.sent!.step : undefined
}
