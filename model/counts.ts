/** A count with its noun: `1 handoff`, `2,000 handoffs`. `many` is for a noun that takes more than an s. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : many}`
}

/** `1,902 B`. */
export function bytes(count: number): string {
  return `${count.toLocaleString('en-US')} B`
}
