import { oncePerRun } from '../once-per-run.ts'
import type { Approval, Operation, Run } from '../run.ts'
import { type Matter, matterOf, plainArgumentsOf, waitingOperation } from './approval-matter.ts'

/*
 * Which approvals of a run may be for the same thing. A long run asks thousands of times, and each question compared with
 * every other one costs more than all other checks together. What is found here is still to be compared: nothing that is
 * the same is left out, and something else may be among it.
 */

/**
 * Approvals that ask, in some version, for the operation of the matter, or, where one of the two names none, for the same
 * action with the same scope.
 */
export function likeRequests(run: Run, matter: Matter): Approval[] {
  const { byOperation, byAction, withoutCall } = requestsOf(run)
  const { operation } = matter
  const name = actionAndScope(matter)
  if (operation === undefined) return byAction.get(name) ?? []
  return [...(byOperation.get(operation) ?? []), ...(withoutCall.get(name) ?? [])]
}

/** Approvals whose own call has the same arguments as that of the matter, or some of them. */
export function requestsForLess(run: Run, { operation }: Matter): Approval[] {
  if (operation === undefined) return []
  const { byArgument, always } = callsOf(run)
  const { text, fields = [] } = plainArgumentsOf(operation)
  const names = [wholly(text), ...[...fields].map(([name, value]) => argument(name, value))]
  return [...names.flatMap((name) => byArgument.get(name) ?? []), ...always]
}

/** Each once, in the order in which the run first asked. */
export function inOrderOfAsking(run: Run, approvals: readonly Approval[]): Approval[] {
  const places = placesOf(run)
  return [...new Set(approvals)].sort((a, b) => places.get(a)! - places.get(b)!)
}

const placesOf = oncePerRun(
  (run) => new Map([...run.approvals.values()].map((approval, place) => [approval, place])),
)

const requestsOf = oncePerRun((run) => {
  const byOperation = new Map<Operation, Approval[]>()
  const byAction = new Map<string, Approval[]>()
  const withoutCall = new Map<string, Approval[]>()
  for (const approval of run.approvals.values()) {
    const operation = waitingOperation(run, approval)
    if (operation !== undefined) put(byOperation, operation, approval)
    for (const { value } of approval.versions) {
      if (value.action === undefined) continue
      const name = actionAndScope(matterOf(run, approval, value))
      put(byAction, name, approval)
      if (operation === undefined) put(withoutCall, name, approval)
    }
  }
  return { byOperation, byAction, withoutCall }
})

/** Approvals under the one argument of their call that the fewest have; `always`: those whose arguments are all null. */
const callsOf = oncePerRun((run) => {
  const byArgument = new Map<string, Approval[]>()
  const always: Approval[] = []
  const waiting = [...run.approvals.values()].flatMap((approval) => {
    const operation = waitingOperation(run, approval)
    return operation === undefined ? [] : [{ approval, ...plainArgumentsOf(operation) }]
  })
  const counts = new Map<string, number>()
  for (const name of waiting.flatMap(({ fields }) => tellingArguments(fields)))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { approval, text, fields } of waiting) {
    const names = tellingArguments(fields)
    if (names.length > 0)
      put(
        byArgument,
        names.reduce((a, b) => (counts.get(b)! < counts.get(a)! ? b : a)),
        approval,
      )
    else if (fields === undefined || fields.size === 0) put(byArgument, wholly(text), approval)
    else always.push(approval)
  }
  return { byArgument, always }
})

/** An argument that is null may as well be left out, so that nothing is found by it. */
function tellingArguments(fields: ReadonlyMap<string, string> | undefined): string[] {
  return [...(fields ?? [])].filter(([, text]) => text !== 'null').map(([name, text]) => argument(name, text))
}

function argument(name: string, text: string): string {
  return `${name}\u0000${text}`
}

/** Arguments that are no object are compared as a whole. */
function wholly(text: string): string {
  return `\u0000${text}`
}

function actionAndScope({ action, scopeText }: Matter): string {
  return `${action}\u0000${scopeText}`
}

function put<K>(map: Map<K, Approval[]>, key: K, approval: Approval): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [approval])
  else if (known.at(-1) !== approval) known.push(approval)
}
