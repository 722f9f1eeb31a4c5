import { oncePerRun } from '../once-per-run.ts'
import type { Operation, Run } from '../run.ts'

/** An operation with its place among all of the run. */
export type Numbered = { operation: Operation; number: number }

/** The operations that have a name as their op id or had it as their key, in order. */
export function namesakesOf(run: Run, name: string): readonly Numbered[] {
  return byName(run).get(name) ?? []
}

const byName = oncePerRun((run): ReadonlyMap<string, readonly Numbered[]> => {
  const named = new Map<string, Numbered[]>()
  let number = 0
  for (const operation of run.operations.values()) {
    const one = { operation, number: number++ }
    put(named, operation.op, one)
    for (const { value } of operation.versions) if (value.key !== undefined) put(named, value.key, one)
  }
  return named
})

function put(named: Map<string, Numbered[]>, name: string, one: Numbered): void {
  const known = named.get(name)
  if (known === undefined) named.set(name, [one])
  else if (known.at(-1) !== one) known.push(one)
}
