/** `1 handoff`, `2 handoffs`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

/** `1,902 B`. */
export function bytes(count: number): string {
  return `${count.toLocaleString('en-US')} B`
}
