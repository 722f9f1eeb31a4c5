import type { Json, JsonObject } from '../model/json.ts'
import { DecodeError } from './decode-error.ts'
import {
  doubleOf,
  type Fields,
  int64Of,
  listField,
  objectOf,
  textField,
  textOf,
  wrong,
} from './json-fields.ts'
import { NESTED_AT_MOST } from './limits.ts'
import { doubleValue } from './values.ts'

/** The attributes of what stands at that depth, counted in messages as protobuf counts them. */
export function attributesField(of: Fields, depth: number): JsonObject {
  return pairs(listField(of, 'attributes'), depth)
}

function pairs(list: readonly unknown[], depth: number): JsonObject {
  return Object.fromEntries(
    list.map((element) => {
      const pair = objectOf(element, 'attributes')
      return [textField(pair, 'key'), valueOfJson(pair.value, bounded(depth + 1))]
    }),
  )
}

/** An AnyValue as JSON; one that says nothing is null. `depth` is that of what holds it. */
export function valueOfJson(given: unknown, depth: number): Json {
  if (given === undefined || given === null) return null
  const value = objectOf(given, 'value')
  const here = bounded(depth + 1)
  for (const [name, read] of FORMS) {
    const content = value[name]
    if (content !== undefined && content !== null) return read(content, name, here)
  }
  return null
}

type Read = (content: unknown, name: string, depth: number) => Json

const FORMS: readonly [name: string, read: Read][] = [
  ['stringValue', textOf],
  ['intValue', int64Of],
  ['boolValue', booleanOf],
  ['doubleValue', (content, name) => doubleValue(doubleOf(content, name))],
  ['arrayValue', (content, name, depth) => listOf(objectOf(content, name), depth)],
  [
    'kvlistValue',
    (content, name, depth) => pairs(listField(objectOf(content, name), 'values'), bounded(depth + 1)),
  ],
  ['bytesValue', (content, name) => Buffer.from(textOf(content, name), 'base64').toString('base64')],
]

function listOf(list: Fields, depth: number): Json[] {
  const inner = bounded(depth + 1)
  return listField(list, 'values').map((element) => valueOfJson(objectOf(element, 'values'), inner))
}

function booleanOf(content: unknown, name: string): boolean {
  if (typeof content !== 'boolean') throw wrong(name, 'true or false')
  return content
}

function bounded(depth: number): number {
  if (depth > NESTED_AT_MOST)
    throw new DecodeError(`values are nested more than ${NESTED_AT_MOST} messages deep`)
  return depth
}
