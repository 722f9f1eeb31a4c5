/** The scalar values of the arguments as they would be written. */
export function argumentValues(args: unknown): string[] {
  const values: string[] = []
  const rest: unknown[] = [args]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string' && value !== '') values.push(value)
    else if (typeof value === 'number') values.push(String(value))
    else if (typeof value === 'object' && value !== null) {
      const members = Object.values(value)
      for (let index = members.length - 1; index >= 0; index--) rest.push(members[index])
    }
  }
  return values
}
