import type { Check } from '../check.ts'
import { type Dispatch, groupBy, writeDispatches } from '../facts/dispatches.ts'
import { findRepeats } from '../facts/repeats.ts'
import type { Draft } from '../finding.ts'
import { nameOf } from '../phrase.ts'
import type { Run } from '../run.ts'

// What else may tell a service that two requests are one, if the runtime sends it.
const REQUEST_IDS = ['message_id', 'messageId', 'request_id', 'requestId', 'client_request_id']

export const writeWithoutKey: Check = {
  id: 'write-without-key',
  severity: 'warning',
  title: 'A write had no key when it needed one',
  question: 'Can a write whose outcome is unknown be settled or repeated safely?',
  definition:
    'Raised for a write without any key or request id that ended unknown, or that was carried out again. A write that was ' +
    'simply answered needs none, and is passed over.',
  check({ run }) {
    const keyless = [...unknownAtTheEnd(run), ...repeated(run)]
      .filter(({ dispatch }) => !hasRequestId(dispatch))
      .sort((a, b) => a.dispatch.step - b.dispatch.step)
    return { findings: [...groupBy(keyless, ({ dispatch }) => dispatch.effect).values()].map(draft) }
  },
}

type Keyless = { dispatch: Dispatch; again?: Dispatch }

function unknownAtTheEnd(run: Run): Keyless[] {
  return writeDispatches(run)
    .filter(
      ({ operation, key, versions }) =>
        key === undefined && !operation.effectAssumed && versions.at(-1)!.value.state === 'unknown',
    )
    .map((dispatch) => ({ dispatch }))
}

function repeated(run: Run): Keyless[] {
  return findRepeats(run)
    .filter(({ first }) => first.key === undefined)
    .map(({ first, again }) => ({ dispatch: first, again }))
}

function hasRequestId({ operation }: Dispatch): boolean {
  return operation.versions.some(({ value }) => REQUEST_IDS.some((name) => value.event[name] !== undefined))
}

function draft(keyless: Keyless[]): Draft {
  const { dispatch } = keyless[0]!
  const again = [...new Set(keyless.flatMap((entry) => entry.again ?? []))]
  const unknown = keyless.find((entry) =>
    entry.dispatch.versions.some(({ value }) => value.state === 'unknown'),
  )
  const ended = unknown === undefined ? '' : ` ${again.length > 0 ? 'It' : 'and'} ended unknown`
  const what =
    again.length === 0
      ? `left without a key${ended}.`
      : `left without a key and was carried out again as ${again.map(({ operation }) => operation.op).join(', ')}.${ended === '' ? '' : `${ended}.`}`
  return {
    agents: [dispatch.agent].filter((agent) => agent !== undefined),
    subject: { kind: 'operation', id: dispatch.operation.op },
    message: `${nameOf(dispatch.operation)} ${what} Nothing tells the service which requests are the same, and nobody can look it up.`,
    evidence: [...new Set([...keyless.map((entry) => entry.dispatch), ...again])].map(
      ({ step, operation }) => ({
        step,
        path: `operation ${operation.op}`,
      }),
    ),
    remedy:
      'Send the write under an idempotency key that names the intended effect, the same on every attempt.',
    trait: dispatch.operation.tool,
  }
}
