import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fitsOf } from '../../model/fits.ts'
import { anyEventSchema, eventSchemas, principalSchema } from '../../model/run-log.ts'

const schemas = { ...eventSchemas, custom: anyEventSchema }
const kinds = Object.keys(schemas) as (keyof typeof schemas)[]

/** Every name that a schema or one in it knows, so that members of all depths are hit. */
function namesIn(schema: z.core.$ZodType): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional') return namesIn(def.innerType)
  if (def.type === 'array') return namesIn(def.element)
  if (def.type === 'union') return def.options.flatMap(namesIn)
  if (def.type !== 'object') return []
  return Object.entries(def.shape).flatMap(([name, field]) => [name, ...namesIn(field)])
}

function eventOf(kind: keyof typeof schemas) {
  const names = fc.constantFrom(...new Set(namesIn(schemas[kind])))
  const leaf = fc.constantFrom('', 'text', 0, 1, 1.5, 1e300, Number.NaN, -7, 2 ** 53, true, null, undefined)
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 5 }),
    ),
  }))
  return fc.dictionary(names, value, { maxKeys: 5 }).map((fields) => ({ ...right, ...fields, kind }))
}

/** All that any kind requires, so that most events fail by one field or not at all. */
const right = { run: 'r', op: 'op-1', handoff: 'h-1', id: 'i-1', verdict: 'approve', state: 'sent' }

describe('whether an event fits its schema', () => {
  it('is what zod says', () => {
    const answers = { true: 0, false: 0 }
    for (const kind of kinds) {
      const fits = fitsOf(schemas[kind])
      fc.assert(
        fc.property(eventOf(kind), (event) => {
          const { success } = schemas[kind].safeParse(event)
          answers[`${success}`]++
          expect(fits(event)).toBe(success)
        }),
        { numRuns: 300 },
      )
    }
    // Neither answer was rare.
    expect(Math.min(answers.true, answers.false)).toBeGreaterThan(500)
  })

  it('is what zod says of anything', () => {
    const fits = fitsOf(principalSchema)
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(fits(value)).toBe(principalSchema.safeParse(value).success)
      }),
    )
  })

  it('is not said of a schema that it has no rule for', () => {
    expect(() => fitsOf(z.looseObject({ at: z.date() }))).toThrow('no rule for a schema of type date')
    expect(() => fitsOf(z.string().max(3))).toThrow('no rule for the check max_length')
  })
})
