import { readItems } from '../model/items.ts'

/** A call that a model asked for. */
export type Call = { id: string | undefined; tool: string | undefined; args: unknown }

const known = new WeakMap<readonly unknown[], Call[]>()

/** The calls in an answer, in their order. */
export function callsOf(answer: readonly unknown[] | undefined): readonly Call[] {
  if (answer === undefined) return []
  const calls = known.get(answer) ?? read(answer)
  known.set(answer, calls)
  return calls
}

function read(answer: readonly unknown[]): Call[] {
  return readItems(answer).flatMap(({ type, call, tool, args }) =>
    type === 'tool_call' ? [{ id: call, tool, args }] : [],
  )
}

/** Results by call that stand in a request. */
export function resultsIn(items: readonly unknown[] | undefined): Map<string, unknown> {
  const results = new Map<string, unknown>()
  for (const { type, call, text } of items === undefined ? [] : readItems(items)) {
    if (type === 'tool_result' && call !== undefined && !results.has(call)) results.set(call, text)
  }
  return results
}
