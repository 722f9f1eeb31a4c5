import type { Item } from '../../model/items.ts'
import { jsonString } from '../../model/json-text.ts'
import { firstStep, latest } from '../history.ts'
import type { Receipt, Run } from '../run.ts'
import type { Detector } from '../settings.ts'
import { containsValue, type PayloadText, readableText } from '../text.ts'
import type { Leak } from './handoff-diff.ts'
import { everyPlace } from './leaks.ts'

const MATCHES_AT_MOST = 100

/** Values at the receiver that a configured detector finds: each is as if the log had marked it as sensitive. */
export function detectLeaks(
  detectors: readonly Detector[],
  run: Run,
  before: readonly Item[] | undefined,
  receipt: Receipt,
  texts: readonly PayloadText[],
): Leak[] {
  if (detectors.length === 0) return []
  return everyPlace(receipt, texts).flatMap(({ path, text }) =>
    detectors.flatMap((detector) =>
      matchesOf(detector, text).map((value) => ({
        text: value,
        from: sourceOf(value, run, before ?? [], receipt) ?? `detector ${detector.name}`,
        path,
        sensitive: true,
        detector: detector.name,
      })),
    ),
  )
}

function matchesOf({ pattern }: Detector, text: string): string[] {
  const values = new Set<string>()
  for (const [value] of text.matchAll(pattern)) {
    if (value.trim() !== '') values.add(value)
    if (values.size === MATCHES_AT_MOST) break
  }
  return [...values]
}

/** Where the value came from: the operation that returned it, else the sender's item that held it. */
function sourceOf(value: string, run: Run, before: readonly Item[], receipt: Receipt): string | undefined {
  for (const operation of run.operations.values()) {
    if (firstStep(operation) > receipt.step) continue
    const { result } = latest(operation)
    if (result !== undefined && containsValue(jsonString(result) ?? '', value)) return operation.id
  }
  const item = before.find((candidate) => containsValue(readableText(candidate), value))
  return item && (item.op ?? item.path)
}
