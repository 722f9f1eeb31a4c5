/** A number as people read it: `2,000`. */
export function grouped(count: number): string {
  // The tables of a language take a tenth of a short command's time to load, and most counts have nothing to group.
  return Number.isInteger(count) && Math.abs(count) < 1000 ? `${count}` : count.toLocaleString('en-US')
}

/** A count with its noun: `1 handoff`, `2,000 handoffs`. `many` is for a noun that takes more than an s. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : many}`
}

/** `1,902 B`. */
export function bytes(count: number): string {
  return `${grouped(count)} B`
}
