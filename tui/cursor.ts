import type { Act } from './act.ts'
import type { Line } from './lines.ts'

/** `3 of 9,999`: a place counted from one, and how many there are. */
export function placeOf(place: number, count: number): string {
  return `${place.toLocaleString('en-US')} of ${count.toLocaleString('en-US')}`
}

/** A place in a list and the part of the list that is visible around it. */
export class Cursor {
  at = 0
  top = 0
  #page = 10

  /** Moves by an act of moving; false if it is another act. */
  move(act: Act, count: number): boolean {
    const to = this.#target(act, count)
    if (to === undefined) return false
    this.to(to, count)
    return true
  }

  to(at: number, count: number): void {
    this.at = Math.max(0, Math.min(at, count - 1))
  }

  /** The first and the end index of what is visible in `height` rows, the cursor among them. */
  window(height: number, count: number): { start: number; end: number } {
    this.#page = Math.max(1, height)
    this.to(this.at, count)
    if (this.at < this.top) this.top = this.at
    if (this.at >= this.top + height) this.top = this.at - height + 1
    this.top = Math.max(0, Math.min(this.top, count - height))
    return { start: this.top, end: Math.min(count, this.top + height) }
  }

  #target(act: Act, count: number): number | undefined {
    const half = Math.max(1, Math.floor(this.#page / 2))
    switch (act) {
      case 'down':
        return this.at + 1
      case 'up':
        return this.at - 1
      case 'pageDown':
        return this.at + this.#page
      case 'pageUp':
        return this.at - this.#page
      case 'halfDown':
        return this.at + half
      case 'halfUp':
        return this.at - half
      case 'first':
        return 0
      case 'last':
        return count - 1
      default:
        return undefined
    }
  }
}

/**
 * The visible part of rows that are several lines high. `top` is the first visible line of the frame before; as little as
 * possible is scrolled for the selected row to be whole.
 */
export function scrollRows(
  rows: readonly (readonly Line[])[],
  selected: number,
  top: number,
  height: number,
): { lines: readonly Line[]; top: number } {
  let start = 0
  let end = 0
  const lines: Line[] = []
  rows.forEach((row, index) => {
    if (index === selected) start = lines.length
    lines.push(...row)
    if (index === selected) end = lines.length
  })
  let first = Math.min(top, start)
  if (end > first + height) first = Math.min(start, end - height)
  first = Math.max(0, Math.min(first, lines.length - height))
  return { lines: lines.slice(first, first + height), top: first }
}
