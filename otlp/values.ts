import type { Json } from '../model/json.ts'

/** A double as JSON, which has no form for NaN and the infinities: their names, as protobuf's JSON mapping writes them. */
export function doubleValue(value: number): Json {
  // Adding zero makes -0 an ordinary one, as JSON.stringify does.
  return Number.isFinite(value) ? value + 0 : String(value)
}

/** A 64-bit integer as JSON: a number where JavaScript holds it exactly, else its decimal digits. */
export function integerValue(value: bigint): Json {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}
