/** Any JSON value, as it comes out of `JSON.parse`. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/** True for a plain JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is a non-empty string, else undefined: the form in which optional ids are read. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An id as it is compared: a text that is not empty, or the digits of a number, as the fields of an event are read. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(value)
}

/** The value if it is a list, else an empty one. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that is a JSON object or list as its value; everything else as it is. */
export function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** True if lists and objects stand in one another more than so many levels deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer = isContainer(value) ? [value] : []
  for (let level = 1; layer.length > 0; level++) {
    if (level > levels) return true
    const next: object[] = []
    for (const container of layer) {
      for (const member of Object.values(container)) if (isContainer(member)) next.push(member)
    }
    layer = next
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
