import { isObject, type Json } from '../model/json.ts'
import { DecodeError } from './decode-error.ts'
import { doubleValue, integerValue } from './values.ts'

/*
 * Fields of OTLP's JSON encoding. One that is missing or null has its default; one of a wrong form ends the request with
 * an error that names it. Fields nobody asks for are ignored.
 */

export type Fields = Record<string, unknown>

const UINT64 = 2n ** 64n
const INT64 = 2n ** 63n

export function objectOf(value: unknown, name: string): Fields {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw wrong(name, 'an object')
  return value
}

export function listField(of: Fields, name: string): unknown[] {
  const value = of[name] ?? []
  if (!Array.isArray(value)) throw wrong(name, 'a list')
  return value
}

export function textField(of: Fields, name: string): string {
  return textOf(of[name] ?? '', name)
}

/** A text as UTF-8 could carry it: a lone surrogate becomes U+FFFD, as in every protobuf encoder. */
export function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrong(name, 'a text')
  // Part of every supported Node, not yet of the ES2023 types.
  return (value as string & { toWellFormed(): string }).toWellFormed()
}

/** A count of 32 bits. */
export function countField(of: Fields, name: string): number {
  const value = wholeOf(of[name] ?? 0, name)
  if (value < 0n || value >= 2n ** 32n) throw wrong(name, 'a count')
  return Number(value)
}

/** A fixed64 as decimal digits: nanoseconds. */
export function nanosField(of: Fields, name: string): string {
  const value = wholeOf(of[name] ?? 0, name)
  if (value < 0n || value >= UINT64) throw wrong(name, 'a number of nanoseconds')
  return value.toString()
}

/**
 * An int64, which encoders write as a number or as text. OpenTelemetry's JavaScript writes every whole double as one, also
 * those beyond 64 bits: such a number is kept as the double that it is.
 */
export function int64Of(value: unknown, name: string): Json {
  if (typeof value === 'number' && (value < -Number(INT64) || value >= Number(INT64)))
    return doubleValue(value)
  const whole = wholeOf(value, name)
  if (whole < -INT64 || whole >= INT64) throw wrong(name, 'a 64-bit integer')
  return integerValue(whole)
}

export function doubleOf(value: unknown, name: string): number {
  if (typeof value === 'number') return value
  const isName = value === 'NaN' || value === 'Infinity' || value === '-Infinity'
  const isDecimal = typeof value === 'string' && /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)
  if (isName || isDecimal) return Number(value)
  throw wrong(name, 'a number')
}

function wholeOf(value: unknown, name: string): bigint {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  throw wrong(name, 'a whole number')
}

export function wrong(name: string, what: string): DecodeError {
  return new DecodeError(`"${name}" is not ${what}`)
}
