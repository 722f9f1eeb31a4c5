import type { Operation, OperationVersion } from '../run.ts'
import type { DegreeOfCrossing } from './degree.ts'
import type { OperationCrossing } from './handoff-diff.ts'

/**
 * How one operation crossed, found out when somebody asks: a long run has thousands of settled calls behind it at each
 * handoff, and searching the words for every one of them would cost more than all the rest.
 */
export class Crossing implements OperationCrossing {
  readonly operation: Operation
  readonly version: OperationVersion
  readonly inDoubt: boolean
  timings: OperationCrossing['timings']
  readonly #find: (operation: Operation, version: OperationVersion) => DegreeOfCrossing
  #found: DegreeOfCrossing | undefined

  constructor(
    operation: Operation,
    version: OperationVersion,
    inDoubt: boolean,
    find: (operation: Operation, version: OperationVersion) => DegreeOfCrossing,
  ) {
    this.operation = operation
    this.version = version
    this.inDoubt = inDoubt
    this.#find = find
  }

  get #how(): DegreeOfCrossing {
    this.#found ??= this.#find(this.operation, this.version)
    return this.#found
  }

  get degree() {
    return this.#how.degree
  }

  get differences() {
    return this.#how.differences
  }

  get matched() {
    return this.#how.matched
  }

  get guess() {
    return this.#how.guess
  }

  get evidence() {
    return this.#how.evidence
  }

  toJSON(): OperationCrossing {
    const { operation, version, inDoubt, timings } = this
    return { operation, version, inDoubt, ...this.#how, timings }
  }
}
