import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import { argumentValues } from '../argument-values.ts'
import type { Check } from '../check.ts'
import { groupBy } from '../facts/dispatches.ts'
import { stepsOf } from '../facts/steps-by-kind.ts'
import type { Draft } from '../finding.ts'
import { isInDoubt } from '../history.ts'
import { nameOf } from '../phrase.ts'
import type { Operation, OperationVersion, Run, Step } from '../run.ts'
import { containsValue } from '../text.ts'

export const settledByDetails: Check = {
  id: 'settled-by-details',
  severity: 'error',
  title: 'An operation in doubt was settled by a look-up of details',
  question: 'Is the result that was found really the result of this request?',
  definition:
    'Raised when a write in doubt is settled by a look-up that did not use its key: the entry says so, its result names ' +
    'another key, or it takes the answer, or an identifier out of the answer, of a read that was made with some of its ' +
    'arguments and not with its key. Any other request with the same details may have been found.',
  judgesByWords: true,
  check({ run }) {
    const reads = groupBy(
      [...run.operations.values()].filter(({ effect }) => effect === 'read'),
      ({ agent }) => agent ?? '',
    )
    return {
      findings: [...run.operations.values()].flatMap((operation) => draft(run, operation, reads) ?? []),
    }
  },
}

type Found = { step: Step; why: string; lookup?: Step }

function draft(run: Run, operation: Operation, reads: ReadonlyMap<string, Operation[]>): Draft | undefined {
  const { versions } = operation
  for (let index = 1; index < versions.length; index++) {
    const before = versions[index - 1]!
    const after = versions[index]!
    if (!isInDoubt(operation, before.value) || after.value.state !== 'settled') continue
    const found = byDetails(run, operation, before, after, reads)
    if (found === undefined) continue
    const left = before.value.key === undefined ? 'without a key' : `under ${before.value.key}`
    return {
      agents: [...new Set([before.value.agent, after.value.agent])].filter((agent) => agent !== undefined),
      subject: { kind: 'operation', id: operation.op },
      message:
        `${nameOf(operation)} left ${left} and was settled by a look-up that did not use that key: ${found.why}. The result ` +
        'may belong to another request with the same details, while this one is still on its way.',
      evidence: [
        { step: before.step },
        ...(found.lookup === undefined ? [] : [{ step: found.lookup }]),
        { step: found.step },
      ],
      remedy:
        'Look the request up by its key, or close the key; take no result that only matches in details.',
      trait: operation.tool,
    }
  }
  return undefined
}

function byDetails(
  run: Run,
  operation: Operation,
  before: { step: Step; value: OperationVersion },
  after: { step: Step; value: OperationVersion },
  reads: ReadonlyMap<string, Operation[]>,
): Found | undefined {
  const { step, value } = after
  if (value.by === 'details') return { step, why: 'its entry says that details were compared' }
  if (value.by !== undefined) return undefined
  const { key } = before.value
  const found = key === undefined ? undefined : keyNamedIn(value.result)
  // A `key` that was an argument is what the call acts on, not what names the request.
  if (found !== undefined && found !== key && !argumentValues(operation.args).includes(found))
    return { step, why: `the result names ${found}` }
  // Without a word on it, a higher attempt is a request of its own and an answer to that.
  if (value.attempt > before.value.attempt) return undefined
  if (key !== undefined && value.key !== undefined && value.key !== key) {
    return { step, why: `it was settled as ${value.key}` }
  }
  // The answer to a request on its way is its reply. Once nobody waits for that any more, it was looked for.
  const waits = before.value.state !== 'unknown' && value.agent === before.value.agent
  if (waits && !hasBegunAnew(run, value.agent, before.step, step)) return undefined
  const lookup = (reads.get(value.agent ?? '') ?? []).findLast(
    (read) => answeredBetween(read, before.step, step) && looksForDetails(read, operation, key, value.result),
  )
  if (lookup === undefined) return undefined
  return { step, why: `${nameOf(lookup)} found it by its arguments`, lookup: lookup.versions.at(-1)!.step }
}

/** Who had sent the request crashed, or was resumed since: nobody holds the line on which its reply would come. */
function hasBegunAnew(run: Run, agent: string | undefined, after: Step, before: Step): boolean {
  const isBetween = (step: Step) => step > after && step < before
  const crashed = stepsOf(run, 'process.crash').some(
    (step) => isBetween(step) && [agent, undefined].includes(run.events[step]!.agent as string | undefined),
  )
  return (
    crashed ||
    run.handoffs.some(
      ({ mode, receipts }) =>
        mode === 'resume' && receipts.some(({ by, step }) => by === agent && isBetween(step)),
    )
  )
}

function keyNamedIn(result: unknown): string | undefined {
  if (!isObject(result)) return undefined
  return textOf(result.key) ?? textOf(result.idempotency_key) ?? textOf(result.idempotencyKey)
}

function answeredBetween({ versions }: Operation, after: Step, before: Step): boolean {
  const last = versions.at(-1)!
  return last.step > after && last.step < before && last.value.state === 'settled'
}

function looksForDetails(
  read: Operation,
  operation: Operation,
  key: string | undefined,
  result: unknown,
): boolean {
  const asked = argumentValues(read.args)
  if (key !== undefined && asked.some((value) => value.includes(key))) return false
  const details = new Set(argumentValues(operation.args))
  if (!asked.some((value) => details.has(value))) return false
  const answer = read.versions.at(-1)!.value.result ?? null
  const known = new Set([...details, key])
  return repeats(answer, result ?? null) || names(answer, result, known)
}

/** `ok` and the like are the answer to anything. */
function repeats(answer: unknown, result: unknown): boolean {
  const written = canonicalJson(answer)
  return written.length >= 6 && written === canonicalJson(result)
}

const IDENTIFIER = /^(?=\S*\p{L})(?=\S*\d)\S+$/u

/** Out of all that was found, the result takes one thing by its identifier. */
function names(answer: unknown, result: unknown, known: ReadonlySet<string | undefined>): boolean {
  const ids = argumentValues(result).filter((value) => IDENTIFIER.test(value) && !known.has(value))
  if (ids.length === 0) return false
  const found = new Set(argumentValues(answer))
  const text = jsonString(answer)
  return ids.some((id) => found.has(id) || containsValue(text, id))
}
