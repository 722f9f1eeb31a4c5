import type { DescMessage } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { NESTED_AT_MOST } from './limits.ts'

/** True if a message holds more than so many messages, counted on the wire without building one. */
export function holdsMoreMessages(schema: DescMessage, bytes: Uint8Array, most: number): boolean {
  // A message takes two bytes at least.
  return bytes.length / 2 > most && count(schema, bytes, most, 0) > most
}

function count(schema: DescMessage, bytes: Uint8Array, most: number, depth: number): number {
  if (depth > NESTED_AT_MOST) return 0
  const inner = innerMessages(schema)
  const reader = new BinaryReader(bytes)
  let found = 0
  while (reader.pos < reader.len && found <= most) {
    const [number, type] = reader.tag()
    const message = type === WireType.LengthDelimited ? inner.get(number) : undefined
    if (message === undefined) reader.skip(type, number, NESTED_AT_MOST)
    else found += 1 + count(message, reader.bytes(), most - found, depth + 1)
  }
  return found
}

const known = new WeakMap<DescMessage, Map<number, DescMessage>>()

/** The fields of a message that hold messages. */
function innerMessages(schema: DescMessage): Map<number, DescMessage> {
  let fields = known.get(schema)
  if (fields === undefined) {
    fields = new Map(
      schema.fields.flatMap((field) =>
        field.message === undefined ? [] : [[field.number, field.message] as const],
      ),
    )
    known.set(schema, fields)
  }
  return fields
}
