import { canonicalJson } from '../../model/hash.ts'
import type { Operation } from '../run.ts'

/** What an operation event says of the operation that it may continue. */
export type Sought = { tool: string | undefined; key: string | undefined; args: unknown }

/**
 * True if an event continues that operation. Two processes may number their operations alike: another key with other
 * arguments is another operation, and so is another tool, while an equal key is the same one whatever else is said.
 */
function continues(operation: Operation, { tool, key, args }: Sought): boolean {
  if (key !== undefined && key === operation.key) return true
  if (tool !== undefined && tool !== operation.tool) return false
  return (
    key === undefined || operation.key === undefined || canonicalJson(args) === canonicalJson(operation.args)
  )
}

/** The operations of one run by their op id, so that an event finds the one it continues without a search. */
export class OperationIndex {
  readonly #byOp = new Map<string, Operation | Namesakes>()

  /** The operation that an event under this op id continues, the latest if there are several; undefined if none. */
  find(op: string, sought: Sought): Operation | undefined {
    const known = this.#byOp.get(op)
    if (known instanceof Namesakes) return known.find(sought)
    return known !== undefined && continues(known, sought) ? known : undefined
  }

  /** Takes a new operation in and says how many have that op id now. */
  add(operation: Operation): number {
    const known = this.#byOp.get(operation.op)
    if (known === undefined) {
      this.#byOp.set(operation.op, operation)
      return 1
    }
    const namesakes = known instanceof Namesakes ? known : new Namesakes(known)
    this.#byOp.set(operation.op, namesakes)
    return namesakes.add(operation)
  }

  /** To be called when the key or the arguments of an operation have changed. */
  changed(operation: Operation): void {
    const known = this.#byOp.get(operation.op)
    if (known instanceof Namesakes) known.note(operation)
  }
}

type Pool = { latest: Operation; keyless: Operation[]; byArgs: Map<string, Operation> }

/** Several operations under one op id. */
class Namesakes {
  readonly #numbers = new Map<Operation, number>()
  readonly #byKey = new Map<string, Operation>()
  readonly #pools = new Map<string | undefined, Pool>()

  constructor(first: Operation) {
    this.add(first)
  }

  add(operation: Operation): number {
    this.#numbers.set(operation, this.#numbers.size)
    for (const tool of [undefined, operation.tool]) {
      const pool = this.#pools.get(tool)
      if (pool === undefined) this.#pools.set(tool, { latest: operation, keyless: [], byArgs: new Map() })
      else pool.latest = operation
      if (operation.key === undefined) this.#pools.get(tool)!.keyless.push(operation)
    }
    this.note(operation)
    return this.#numbers.size
  }

  note(operation: Operation): void {
    if (operation.key !== undefined) this.#byKey.set(operation.key, operation)
    const args = canonicalJson(operation.args)
    for (const tool of [undefined, operation.tool]) {
      const pool = this.#pools.get(tool)!
      pool.byArgs.set(args, this.#later(pool.byArgs.get(args), operation)!)
    }
  }

  find({ tool, key, args }: Sought): Operation | undefined {
    const same = key === undefined ? undefined : this.#byKey.get(key)
    if (same !== undefined && same.key === key) return same
    const pool = this.#pools.get(tool)
    if (pool === undefined || key === undefined) return pool?.latest
    while (pool.keyless.at(-1)?.key !== undefined) pool.keyless.pop()
    const text = canonicalJson(args)
    const alike = pool.byArgs.get(text)
    const stillAlike = alike !== undefined && canonicalJson(alike.args) === text
    return this.#later(pool.keyless.at(-1), stillAlike ? alike : undefined)
  }

  #later(a: Operation | undefined, b: Operation | undefined): Operation | undefined {
    if (a === undefined || b === undefined) return a ?? b
    return this.#numbers.get(b)! >= this.#numbers.get(a)! ? b : a
  }
}
