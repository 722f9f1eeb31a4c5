import { textOfContent } from '../../model/items.ts'
import type { Evidence } from '../diff/handoff-diff.ts'
import { readState } from '../fold/operation-state.ts'
import { nameOf } from '../phrase.ts'
import type { Operation, OperationState, Run } from '../run.ts'
import { lostWithHandoff } from './lost-with-handoff.ts'

/** Two entries of one run that cannot both be true of an operation, or of a task. */
export type Contradiction = {
  name: string
  trait: string
  agents: string[]
  known: OperationState
  claimed: OperationState
  /** What happened, as a sentence. */
  what: string
  evidence: Evidence[]
}

/** Outcomes that a later entry turns into another outcome, without a new attempt in between. */
export function stateContradictions(run: Run): Contradiction[] {
  return [...run.operations.values()].flatMap(
    (operation) =>
      turnedOutcome(operation) ?? filedAsFailed(run, operation) ?? lostWithItsHandoff(run, operation) ?? [],
  )
}

function turnedOutcome(operation: Operation): Contradiction | undefined {
  if (operation.effect !== 'write' || operation.effectAssumed) return undefined
  for (let index = 1; index < operation.versions.length; index++) {
    const before = operation.versions[index - 1]!
    const after = operation.versions[index]!
    const [known, claimed] = [before.value.state, after.value.state]
    const turned =
      (known === 'failed' && claimed === 'settled') ||
      (known === 'closed' && claimed === 'settled') ||
      (known === 'settled' && claimed === 'failed')
    if (!turned || after.value.attempt > before.value.attempt) continue
    // Another call of the model is another attempt, whether it is counted or not.
    if (after.value.event.call !== undefined && after.value.event.call !== before.value.event.call) continue
    return {
      ...contradictionOf(operation),
      known,
      claimed,
      what: `${nameOf(operation)} was ${known}, and a later entry calls it ${claimed} without a new attempt.`,
      evidence: [{ step: before.step }, { step: after.step }],
    }
  }
  return undefined
}

const NO_ANSWER =
  /time(d)?[\s_-]?out|deadline|no (reply|answer|response)|hang ?up|connection (reset|lost|closed)|ECONNRESET|ETIMEDOUT|ESOCKETTIMEDOUT|aborted/iu

/** A call of unknown outcome that is called failed for no better reason than that no answer came. */
function filedAsFailed(run: Run, operation: Operation): Contradiction | undefined {
  if (operation.effect !== 'write' || operation.effectAssumed) return undefined
  const index = operation.versions.findIndex(
    ({ value }, at) => value.state === 'failed' && operation.versions[at - 1]?.value.state === 'unknown',
  )
  if (index < 0) return undefined
  const before = operation.versions[index - 1]!
  const after = operation.versions[index]!
  if (after.value.by !== undefined || after.value.attempt > before.value.attempt) return undefined
  const { error, result } = after.value.event
  const unanswered = NO_ANSWER.test(textOfContent(error ?? result))
  const truth = run.truths.get(operation.op)
  const landed = truth !== undefined && (readState(truth) === 'settled' || /^landed$/iu.test(truth))
  if (!unanswered && !landed) return undefined
  return {
    ...contradictionOf(operation),
    known: 'unknown',
    claimed: 'failed',
    what: `${nameOf(operation)} was unknown, and is filed as failed ${unanswered ? 'because no answer came' : 'although it had landed'}.`,
    evidence: [{ step: before.step }, { step: after.step }],
  }
}

/** The handoff that carried it ended unknown, and the operation is called failed for no better reason. */
function lostWithItsHandoff(run: Run, operation: Operation): Contradiction | undefined {
  const lost = lostWithHandoff(run).get(operation)
  if (lost?.filed === undefined) return undefined
  return {
    ...contradictionOf(operation),
    known: 'unknown',
    claimed: 'failed',
    what: `${nameOf(operation)} went out with a handoff that ended unknown, and is filed as failed without a look-up.`,
    evidence: [{ step: lost.failed }, { step: lost.filed }],
  }
}

/** The part of a contradiction that is the operation's. */
export function contradictionOf(operation: Operation): Pick<Contradiction, 'name' | 'trait' | 'agents'> {
  const agents = operation.versions.map(({ value }) => value.agent).filter((agent) => agent !== undefined)
  return { name: operation.op, trait: operation.tool, agents: [...new Set(agents)] }
}
