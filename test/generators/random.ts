import { random } from '../../bench/random.ts'

/** A seeded source of choices, so that a run that fails can be made again from its number. */
export class Random {
  /** From 0 up to 1. */
  readonly fraction: () => number

  constructor(seed: number) {
    this.fraction = random(seed)
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1))
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!
  }

  /** True in that share of cases. */
  chance(share: number): boolean {
    return this.fraction() < share
  }
}
