import { jsonText } from '../../model/json-text.ts'
import type { HandoffRecord } from '../../model/record.ts'
import { Remembered } from '../remembered.ts'

// The record of a long run is by far the longest part of a payload: it is measured, and words are looked for in it.
const texts = new Remembered<object, string>()

/** A record as compact JSON, verbatim. */
export function recordText({ raw }: Pick<HandoffRecord, 'raw'>): string {
  let text = texts.get(raw)
  if (text === undefined) {
    text = jsonText(raw) ?? ''
    texts.set(raw, text)
  }
  return text
}
