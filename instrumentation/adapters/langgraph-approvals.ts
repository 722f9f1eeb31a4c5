import { isObject, listOf, textOf } from '../../model/json.ts'
import { fieldOf } from '../storable.ts'
import type { ToolCall } from './shared-options.ts'
import type { RunLog } from './shared-runs.ts'

/** What waits in an interrupt of a graph: the calls that a middleware asks about, or the question itself. */
export function questionsIn(interrupt: unknown, agent: string | undefined): ToolCall[] {
  const value = fieldOf(interrupt, 'value')
  const requests = listOf(fieldOf(value, 'actionRequests'))
  if (requests.length === 0)
    return [{ name: 'interrupt', args: value, call: textOf(fieldOf(interrupt, 'id')), agent }]
  return requests.map((request) => ({
    name: textOf(fieldOf(request, 'name')) ?? textOf(fieldOf(request, 'action')) ?? 'unnamed',
    args: fieldOf(request, 'args'),
    agent,
  }))
}

/**
 * The input of a resume answers what waits. The graph gives the answer on to whoever asked without saying what it means:
 * false, or a word of refusal, is read as a no, everything else as a yes.
 */
export function readAnswers(log: RunLog, inputs: unknown): void {
  const resume = fieldOf(inputs, 'resume')
  if (resume === undefined) return
  for (const [index, call] of log.calls.waiting.entries()) log.calls.decide(call, isYes(resume, index))
}

function isYes(resume: unknown, index: number): boolean {
  const decisions = listOf(fieldOf(resume, 'decisions'))
  const answer = decisions[index] ?? (Array.isArray(resume) ? resume[0] : resume)
  if (!isObject(answer)) return answer !== false && answer !== null && !isRefusal(answer)
  const words = ['type', 'decision', 'action', 'approved'].map((name) => fieldOf(answer, name))
  return !words.some((word) => word === false || isRefusal(word))
}

function isRefusal(word: unknown): boolean {
  return (
    typeof word === 'string' && /^(no|reject(ed)?|den(y|ied)|refuse[d]?|ignore|cancel)$/i.test(word.trim())
  )
}
