import type { z } from 'zod'

/** Whether a value is what a schema describes. */
export type Fits = (value: unknown) => boolean

/**
 * Makes of a schema a function that says only yes or no. Nearly every event fits, and to learn that from zod, which copies
 * it field by field, takes as long as to parse its line, and in a young process ten times as long. What does not fit is
 * asked of zod, for the reason.
 *
 * Knows the types of schema that the run log is made of, and throws for any other.
 */
export function fitsOf(schema: z.core.$ZodType): Fits {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'unknown':
      return () => true
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'number':
      // The only format in use is that of a whole number.
      return (def.checks?.length ?? 0) > 0 ? Number.isSafeInteger : Number.isFinite
    case 'string': {
      const least = Math.max(0, ...(def.checks ?? []).map(leastLength))
      return (value) => typeof value === 'string' && value.length >= least
    }
    case 'literal':
      return (value) => (def.values as unknown[]).includes(value)
    case 'optional': {
      const fits = fitsOf(def.innerType)
      return (value) => value === undefined || fits(value)
    }
    case 'array': {
      const fits = fitsOf(def.element)
      return (value) => Array.isArray(value) && value.every(fits)
    }
    case 'union': {
      const forms = def.options.map(fitsOf)
      return (value) => forms.some((fits) => fits(value))
    }
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => ({ name, fits: fitsOf(field) }))
      return (value) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        fields.every(({ name, fits }) => fits((value as Record<string, unknown>)[name]))
    }
    default:
      throw new Error(`no rule for a schema of type ${def.type}`)
  }
}

function leastLength(check: z.core.$ZodCheck): number {
  const { def } = check._zod as z.core.$ZodCheckMinLength['_zod']
  if (def.check !== 'min_length') throw new Error(`no rule for the check ${def.check}`)
  return def.minimum
}
