import { effectOf, wasDispatched } from '../facts/effects.ts'
import { sharedEffects } from '../facts/shared-effects.ts'
import { isSettledState } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Operation, OperationVersion, Receipt, Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import type { OperationCrossing, TimingVerdict } from './handoff-diff.ts'

type Timings = { landed: TimingVerdict; delayed: TimingVerdict; reason: string }

/**
 * What can happen to an operation in doubt after this handoff, (a) if the request had landed and only its reply was
 * lost, (b) if it is still travelling and lands later. From what the receiver did; where it has not acted yet, from what
 * it could do with what it got. A receiver that is tested only under (a) passes and still repeats the effect under (b),
 * so both are always given.
 */
export function timingsOf(run: Run, crossing: Omit<OperationCrossing, 'timings'>, receipt: Receipt): Timings {
  const settled = settlementAfter(crossing.operation, receipt.step)
  if (settled !== undefined) return afterSettlement(settled.value)
  const repeat = repeatAfter(run, crossing.operation, receipt.step)
  if (repeat !== undefined) return afterRepeat(repeat, lookedFirst(run, receipt, repeat.versions[0]!.step))
  return beforeAction(crossing)
}

/** The first later step at which the operation's outcome became known. */
export function settlementAfter(
  operation: Operation,
  step: Step,
): { step: Step; value: OperationVersion } | undefined {
  return operation.versions.find((version) => version.step > step && isSettledState(version.value.state))
}

/** How it was settled; without a word on it, closing is closing and an answer under its own entry is its reply. */
export function settlementMeans(version: OperationVersion): string {
  return version.by ?? (version.state === 'closed' ? 'closed' : 'reply')
}

function afterSettlement(version: OperationVersion): Timings {
  const means = settlementMeans(version)
  if (means !== 'details') {
    const how = means === 'closed' ? 'its key was closed' : `it was settled by ${means}`
    return { landed: 'safe', delayed: 'safe', reason: how }
  }
  return {
    landed: "adopts a stranger's result",
    delayed: "adopts a stranger's result",
    reason: 'it was settled by a look-up of details, which any other request may match',
  }
}

/** Another dispatch of the same effect after the handoff that the service cannot recognise as the same. */
function repeatAfter(run: Run, operation: Operation, step: Step): Operation | undefined {
  return sharedEffects(run)
    .get(effectOf(operation))
    ?.find(
      (other) =>
        other.effect === 'write' &&
        other !== operation &&
        (other.key === undefined || other.key !== operation.key) &&
        other.versions[0]!.step > step &&
        other.versions.some(({ value }) => wasDispatched(value)),
    )
}

/** Whether the receiver read anything before it sent the call again: under (a) such a look-up would have found something. */
function lookedFirst(run: Run, receipt: Receipt, until: Step): boolean {
  return anyBetween(readsByAgent(run).get(receipt.by) ?? [], receipt.step, until)
}

/** The steps at which each agent's reads began, in order. */
const readsByAgent = oncePerRun((run) => {
  const reads = new Map<string | undefined, Step[]>()
  for (const { effect, versions } of run.operations.values()) {
    if (effect !== 'read') continue
    const { step, value } = versions[0]!
    const steps = reads.get(value.agent)
    if (steps === undefined) reads.set(value.agent, [step])
    else steps.push(step)
  }
  return reads
})

function afterRepeat(repeat: Operation, looked: boolean): Timings {
  return {
    landed: looked ? "adopts a stranger's result" : 'repeats the effect',
    delayed: 'repeats the effect',
    reason: `${repeat.tool} was sent again as ${repeat.op}${repeat.key === undefined ? ' without a key' : ` under ${repeat.key}`}`,
  }
}

function beforeAction({ degree, version }: Pick<OperationCrossing, 'degree' | 'version'>): Timings {
  switch (degree) {
    case 'carried':
      return {
        landed: 'safe',
        delayed: 'safe',
        reason: `the receiver can close or repeat it under ${version.key}`,
      }
    case 'altered':
      return {
        landed: 'unknown',
        delayed: 'unknown',
        reason: 'the key crossed, but with another tool, arguments or state',
      }
    case 'key in words':
      return {
        landed: 'unknown',
        delayed: 'unknown',
        reason: 'only a model that copies the key from the words can use it',
      }
    case 'described':
    case 'mentioned':
      return {
        landed: "adopts a stranger's result",
        delayed: 'repeats the effect',
        reason: 'without the key the receiver can only look for it by details',
      }
    case 'absent':
      return {
        landed: 'repeats the effect',
        delayed: 'repeats the effect',
        reason: 'nothing tells the receiver that the call went out',
      }
  }
}
