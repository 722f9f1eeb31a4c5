import { argumentValues } from '../argument-values.ts'
import { dispatchStep } from '../facts/effects.ts'
import { instantOf } from '../fold/time.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Operation, OperationVersion, Receipt, Run, Sent, Step } from '../run.ts'
import { anyBetween, firstIndexAfter } from '../steps.ts'
import type { OperationCrossing, Settling } from './handoff-diff.ts'
import { settlementAfter, settlementMeans } from './timings.ts'

/** For each operation that crossed in doubt with its key: was it settled before the receiver planned or wrote? */
export function diffSettling(
  run: Run,
  crossings: readonly OperationCrossing[],
  { step: sentAt }: Sent,
  receipt: Receipt,
): Settling[] {
  return crossings
    .filter(
      (crossing) => crossing.inDoubt && (crossing.degree === 'carried' || crossing.degree === 'altered'),
    )
    .map(({ operation }) => {
      // An answer that comes while the handoff travels settles it as well.
      const settled = settlementAfter(operation, sentAt)
      if (settled === undefined) return { operation, order: 'not settled' }
      const planned = firstPlanning(run, receipt, operation.key)
      return {
        operation,
        order: planned !== undefined && planned < settled.step ? 'after planning' : 'before planning',
        how: settlementMeans(settled.value),
        step: settled.step,
        milliseconds: elapsed(run, receipt.step, settled.value),
      }
    })
}

/**
 * The receiver's first word, model request or declared write after the receipt. A call that uses the key settles and is
 * none, and so is the model request that follows on it.
 */
export function firstPlanning(run: Run, receipt: Receipt, key: string | undefined): Step | undefined {
  const { words, requests, writes } = actsOf(run, receipt.by)
  const uses = key === undefined ? [] : stepsOfUse(receipt, usersOf(run).get(key))
  const candidates = [
    firstAfter(words, receipt.step, () => true),
    firstAfter(requests, receipt.step, ({ step }) => !anyBetween(uses, receipt.step, step)),
    firstAfter(writes, receipt.step, ({ operation }) => key === undefined || !usesKey(operation, key)),
  ].filter((step) => step !== undefined)
  return candidates.length === 0 ? undefined : Math.min(...candidates)
}

function firstAfter<T extends { step: Step }>(
  acts: readonly T[],
  step: Step,
  counts: (act: T) => boolean,
): Step | undefined {
  for (let index = firstIndexAfter(acts, step); index < acts.length; index++) {
    if (counts(acts[index]!)) return acts[index]!.step
  }
  return undefined
}

type Acts = {
  words: { step: Step }[]
  requests: { step: Step }[]
  writes: { step: Step; operation: Operation }[]
}

function actsOf(run: Run, agent: string | undefined): Acts {
  return actsByAgent(run).get(agent) ?? { words: [], requests: [], writes: [] }
}

/** What each agent did, in order: words that are not the user's, model requests, declared writes. */
const actsByAgent = oncePerRun((run) => {
  const byAgent = new Map<string | undefined, Acts>()
  const of = (agent: string | undefined) => {
    const acts = byAgent.get(agent) ?? { words: [], requests: [], writes: [] }
    byAgent.set(agent, acts)
    return acts
  }
  for (const { step, event } of run.messages) if (event.role !== 'user') of(event.agent).words.push({ step })
  for (const { step, event } of run.modelInputs) of(event.agent).requests.push({ step })
  for (const operation of run.operations.values()) {
    const step =
      operation.effect === 'write' && !operation.effectAssumed ? dispatchStep(operation) : undefined
    if (step !== undefined) of(operation.agent).writes.push({ step, operation })
  }
  for (const { writes } of byAgent.values()) writes.sort((a, b) => a.step - b.step)
  return byAgent
})

/** Steps at which the receiver's calls used the key. */
function stepsOfUse(receipt: Receipt, using: readonly Operation[] | undefined): Step[] {
  return (using ?? [])
    .flatMap(({ versions }) => versions)
    .filter(({ step, value }) => step > receipt.step && value.event.agent === receipt.by)
    .map(({ step }) => step)
    .sort((a, b) => a - b)
}

/** A call that goes out under the key or names it: a repeat, a look-up, the closing of it. */
function usesKey(operation: Operation, key: string): boolean {
  return operation.key === key || argumentValues(operation.args).includes(key)
}

/** The operations that use each key. */
const usersOf = oncePerRun((run) => {
  const users = new Map<string, Operation[]>()
  for (const operation of run.operations.values()) {
    if (operation.key !== undefined) users.set(operation.key, [])
  }
  for (const operation of run.operations.values()) {
    const use = (key: string) => {
      const using = users.get(key)
      if (using !== undefined && using.at(-1) !== operation) using.push(operation)
    }
    if (operation.key !== undefined) use(operation.key)
    argumentValues(operation.args).forEach(use)
  }
  return users
})

function elapsed(run: Run, from: Step, version: OperationVersion): number | undefined {
  const start = instantOf(run.events[from]?.at)
  const end = instantOf(version.event.at)
  return start === undefined || end === undefined ? undefined : Math.max(end - start, 0)
}
