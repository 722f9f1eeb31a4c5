import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import type { Settings } from '../replay/settings.ts'
import { assertNoFindings } from './failure.ts'
import { countingFindings, type FindingOptions, judged, type Recorded } from './judged.ts'

/** Assertions over a whole run. */
export type RunExpectation = {
  /** No check finds anything from a severity on (default: `warning`), but for those that are excepted. */
  toHaveNoFindings(options?: FindingOptions): void
}

/** Expects something of a run: of everything in it, handoffs and what happened between them. */
export function expectRun(recorded: Recorded, settings?: Settings): RunExpectation {
  const { run, findings } = judged(recorded, settings)
  function toHaveNoFindings(options: FindingOptions = {}): void {
    const counting = countingFindings(findings, options)
    assertNoFindings(
      escapeText(`Run ${run.id} has ${plural(counting.length, 'finding')}:`),
      counting,
      toHaveNoFindings,
    )
  }
  return { toHaveNoFindings }
}
