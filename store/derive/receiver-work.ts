import { argumentValues } from '../../replay/argument-values.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { answeredBefore } from '../../replay/facts/answered-questions.ts'
import { questionsIn } from '../../replay/facts/dialogue.ts'
import { dispatchStep, hadNoEffect } from '../../replay/facts/effects.ts'
import { latestReceipt } from '../../replay/facts/participation.ts'
import { redundantCalls } from '../../replay/facts/redundant-calls.ts'
import { findRepeats, type Repeat } from '../../replay/facts/repeats.ts'
import { readApprovalState } from '../../replay/fold/approval-state.ts'
import { firstStep, latest } from '../../replay/history.ts'
import type { Handoff, Operation, Run, Step } from '../../replay/run.ts'

/** What was wrong with a call afterwards. */
export type Correction = 'undone' | 'rejected' | 'repeated'

/** A call seen from the handoff that it was made under. */
export type Work = {
  operation: Operation
  /** The latest handoff that its agent had received when it began; undefined before the first. */
  handoff?: Handoff | undefined
  /** When it first left the process; undefined if it never did. */
  dispatched?: Step | undefined
  /** A read whose settled result the sender had. */
  redundant: boolean
  /** The earlier call whose effect it makes again while that one may have landed. */
  repeat?: Repeat | undefined
  /** It does work of another agent's again: a redundant read, or a repeat without a common key. */
  redone: boolean
  /** It asks what the user had answered before the handoff. */
  answered: boolean
  /** It failed, its key was closed before it landed, or its approval was rejected. */
  refused: boolean
  correction?: Correction | undefined
}

/** Every call of a run, and what became of it under which handoff. */
export function receiverWork(run: Run, diffs: HandoffDiff[]): Map<Operation, Work> {
  const redundant = new Set(redundantCalls({ run, diffs }).map(({ again }) => again))
  const repeats = repeatsByCall(run)
  const asksAgain = answeredQuestions(run, diffs)
  const correctionOf = corrections(run, findRepeats(run))
  return new Map(
    [...run.operations.values()].map((operation) => {
      const repeat = repeats.get(operation)
      const apart = repeat !== undefined && !repeat.sharedKey && repeat.first.agent !== operation.agent
      const correction = correctionOf(operation)
      const handoff = latestReceipt(run, operation.agent, firstStep(operation))?.handoff
      const work: Work = {
        operation,
        handoff,
        dispatched: dispatchStep(operation),
        redundant: redundant.has(operation),
        repeat,
        redone: redundant.has(operation) || apart,
        answered: handoff !== undefined && asksAgain(operation, handoff),
        refused: hadNoEffect(operation) || correction === 'rejected',
        correction,
      }
      return [operation, work]
    }),
  )
}

/** A call puts a question to somebody when one stands in its arguments: `ask_user({ question: 'Which address?' })`. */
function answeredQuestions(
  run: Run,
  diffs: readonly HandoffDiff[],
): (operation: Operation, handoff: Handoff) => boolean {
  const diffOf = new Map(diffs.map((diff) => [diff.handoff, diff]))
  return (operation, handoff) => {
    const diff = diffOf.get(handoff)
    if (diff?.receipt === undefined) return false
    return argumentValues(operation.args)
      .flatMap(questionsIn)
      .some((question) => answeredBefore(run, diff, question) !== undefined)
  }
}

/** The gravest repeat of each call: one that no common key excuses, if there is one. */
function repeatsByCall(run: Run): Map<Operation, Repeat> {
  const repeats = new Map<Operation, Repeat>()
  for (const repeat of findRepeats(run)) {
    const known = repeats.get(repeat.again.operation)
    if (known === undefined || (known.sharedKey && !repeat.sharedKey))
      repeats.set(repeat.again.operation, repeat)
  }
  return repeats
}

function corrections(run: Run, repeats: readonly Repeat[]): (operation: Operation) => Correction | undefined {
  const repeated = new Set(repeats.filter(({ sharedKey }) => !sharedKey).map(({ first }) => first.operation))
  const undone = undoings(run)
  const rejected = rejections(run)
  return (operation) => {
    if (undone(operation)) return 'undone'
    if (rejected(operation)) return 'rejected'
    return repeated.has(operation) ? 'repeated' : undefined
  }
}

const UNDOES = /^(cancel|undo|revert|roll_?back|release|void|compensate|reverse|retract|withdraw)/iu
// Shorter values name too many things.
const SHORTEST_NAME = 4

/** A later write of an undoing tool names the call: its key, its id in the log, or a value of its result. */
function undoings(run: Run): (operation: Operation) => boolean {
  const undoing = [...run.operations.values()]
    .filter(({ effect, tool }) => effect === 'write' && UNDOES.test(tool))
    .flatMap((operation) => {
      const step = dispatchStep(operation)
      return step === undefined ? [] : [{ step, names: new Set(argumentValues(operation.args)) }]
    })
  if (undoing.length === 0) return () => false
  return (operation) => {
    if (operation.effect !== 'write' || UNDOES.test(operation.tool)) return false
    const step = firstStep(operation)
    const names = [operation.key, operation.op, ...argumentValues(latest(operation).result)].filter(
      (name) => name !== undefined && name.length >= SHORTEST_NAME,
    )
    return undoing.some((one) => one.step > step && names.some((name) => one.names.has(name!)))
  }
}

function rejections(run: Run): (operation: Operation) => boolean {
  const rejected = [...run.approvals.values()].filter(
    (approval) => readApprovalState(latest(approval).state) === 'rejected',
  )
  const ids = new Set(rejected.map(({ id }) => id))
  const calls = new Set(rejected.flatMap((approval) => approval.for ?? []))
  return (operation) => {
    const { approval } = latest(operation)
    return calls.has(operation.op) || (approval !== undefined && ids.has(approval))
  }
}
