import type { Json, JsonObject } from '../model/json.ts'
import type { AnyValue, KeyValue } from './gen/common_pb.ts'
import { doubleValue, integerValue } from './values.ts'

/** Attributes as an object; of a key that stands twice the later value. */
export function attributesOfMessage(attributes: readonly KeyValue[]): JsonObject {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOfMessage(value)]))
}

/** An AnyValue as JSON; one that says nothing is null. */
export function valueOfMessage(message: AnyValue | undefined): Json {
  const value = message?.value
  switch (value?.case) {
    case 'stringValue':
    case 'boolValue':
      return value.value
    case 'intValue':
      return integerValue(value.value)
    case 'doubleValue':
      return doubleValue(value.value)
    case 'arrayValue':
      return value.value.values.map(valueOfMessage)
    case 'kvlistValue':
      return attributesOfMessage(value.value.values)
    case 'bytesValue':
      return Buffer.from(value.value).toString('base64')
    default:
      return null
  }
}

/** An id as lower-case hex digits, however many bytes it has. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
