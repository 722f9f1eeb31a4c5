import { z } from 'zod'
import {
  completedEffectSchema,
  openOperationSchema,
  pendingActionSchema,
  recordConstraintSchema,
  recordSchema,
} from './record-schema.ts'
import { anyEventSchema, eventSchemas, principalSchema } from './run-log.ts'

/*
 * The published form of the run log, for whoever writes it from another language or checks it in an editor: JSON Schema,
 * draft 2020-12, made from the same definitions that the program reads with.
 */

/** A JSON Schema document. */
export type JsonSchema = Record<string, unknown>

/** The schema of one line of a run log. A kind that it does not know is held to the common fields only. */
export function runLogJsonSchema(): JsonSchema {
  const kinds = Object.keys(eventSchemas)
  const { event, ...definitions } = definitionsOf({ event: anyEventSchema, ...eventSchemas })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:handspan:run-log:1',
    ...event,
    title: 'Run log event',
    description: 'One line of a run log. Unknown kinds and fields are kept.',
    allOf: kinds.map((kind) => ({
      if: { properties: { kind: { const: kind } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { $ref: `#/$defs/${kind}` },
    })),
    $defs: definitions,
  }
}

/** The schema of a record: what crosses for the receiving runtime. */
export function recordJsonSchema(): JsonSchema {
  const { record, ...definitions } = definitionsOf({ record: recordSchema })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:handspan:record:1',
    ...record,
    title: 'Handoff record',
    $defs: definitions,
  }
}

const SHARED = {
  record: recordSchema,
  principal: principalSchema,
  openOperation: openOperationSchema,
  completedEffect: completedEffectSchema,
  pendingAction: pendingActionSchema,
  recordConstraint: recordConstraintSchema,
}

/** The definitions under their names, with those they share taken out by name as well. */
function definitionsOf(schemas: Record<string, z.ZodType>): Record<string, JsonSchema> {
  const names = z.registry<{ id: string; title: string }>()
  for (const [id, schema] of Object.entries({ ...SHARED, ...schemas })) names.add(schema, { id, title: id })
  const { $defs } = z.toJSONSchema(z.object(schemas), {
    metadata: names,
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const { description } = zodSchema as unknown as z.ZodType
      if (description !== undefined) jsonSchema.description = description
    },
  })
  const definitions = Object.entries($defs ?? {}).map(([name, definition]) => {
    const { $schema, id, ...schema } = definition as JsonSchema
    return [name, schema]
  })
  return Object.fromEntries(definitions)
}
