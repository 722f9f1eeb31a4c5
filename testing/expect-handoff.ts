import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import type { HandoffDiff } from '../replay/diff/handoff-diff.ts'
import type { Finding } from '../replay/finding.ts'
import type { Run } from '../replay/run.ts'
import type { Settings } from '../replay/settings.ts'
import { assertNoFindings, assertRows, fail, json } from './failure.ts'
import { countingFindings, type FindingOptions, judged, type Recorded } from './judged.ts'
import { openOperationRows } from './open-operations.ts'

/**
 * Assertions over one handoff. Each throws AssertionError with the part of the diff that it is about, and returns the
 * expectation, so that several can be put in a row.
 */
export class HandoffExpectation {
  readonly #run: Run
  readonly #diff: HandoffDiff
  readonly #findings: readonly Finding[]

  constructor(run: Run, diff: HandoffDiff, findings: readonly Finding[]) {
    this.#run = run
    this.#diff = diff
    this.#findings = findings
  }

  /**
   * Every write in doubt that the receiver may have to settle crossed with its key, tool, arguments and state: as the checks
   * op-in-doubt-key-missing, op-altered and op-state-changed judge it, whatever severity a project gives them.
   */
  toCarryOpenOperations(): this {
    const rows = openOperationRows(this.#run, this.#diff)
    assertRows(this.#title('leaves operations in doubt behind'), rows, this.toCarryOpenOperations)
    return this
  }

  /** Every active constraint crossed with the same text and check, or its hash. */
  toPreserveConstraints(): this {
    const rows = this.#diff.constraints.map(({ constraint, degree, received }) => ({
      good: degree === 'same',
      subject: constraint.id,
      sender: json(constraint.text),
      crossed: [degree, ...(received?.text === undefined ? [] : [json(received.text)])].join('  '),
    }))
    assertRows(this.#title('does not preserve the constraints'), rows, this.toPreserveConstraints)
    return this
  }

  /** Every approval crossed under the same id, with the same scope and its decision. */
  toPreserveApprovals(): this {
    const rows = this.#diff.approvals.map(({ approval, version, verdict, received }) => ({
      good: verdict === 'same',
      subject: approval.id,
      sender: `${version.state} ${version.action ?? ''} ${json(version.scope)}`,
      crossed: `${verdict}${received === undefined ? '' : `  ${received.id ?? ''} ${json(received.scope)}`}`,
    }))
    assertRows(this.#title('does not preserve the approvals'), rows, this.toPreserveApprovals)
    return this
  }

  /** The receiver knows who started the task, and nothing claims more authority than it has. */
  toKeepOrigin(): this {
    const { verdict, sent, received, escalations } = this.#diff.origin
    const rows = [
      {
        good: verdict === 'same',
        subject: 'origin',
        sender: json(sent),
        crossed: `${verdict}  ${json(received)}`,
      },
      ...escalations.map(({ item, why }) => ({ good: false, subject: item.path, sender: '', crossed: why })),
    ]
    assertRows(this.#title('does not keep the origin'), rows, this.toKeepOrigin)
    return this
  }

  /** No check finds anything from a severity on (default: `warning`), but for those that are excepted. */
  toHaveNoFindings(options: FindingOptions = {}): this {
    const counting = countingFindings(this.#findings, options)
    assertNoFindings(
      this.#title(`has ${plural(counting.length, 'finding')}`),
      counting,
      this.toHaveNoFindings,
    )
    return this
  }

  #title(what: string): string {
    const { id, from, to } = this.#diff.handoff
    return escapeText(`Handoff ${id} (${from ?? '?'} → ${to ?? '?'}) ${what}:`)
  }
}

/**
 * Expects something of one handoff of a run: of the only one, or of the one with that id. The last attempt counts. Throws
 * AssertionError if there is no such handoff, or if the log lacks one side of it: nothing can be expected of half of it.
 */
export function expectHandoff(recorded: Recorded, handoff?: string, settings?: Settings): HandoffExpectation {
  const { run, diffs, findings } = judged(recorded, settings)
  const ids = [...new Set(diffs.map((diff) => diff.handoff.id))]
  const id = handoff ?? (ids.length === 1 ? ids[0] : undefined)
  const diff = diffs.findLast((one) => one.handoff.id === id)
  if (diff === undefined) {
    const known = ids.length === 0 ? 'It has none.' : `It has: ${ids.join(', ')}.`
    const wanted = id === undefined ? 'not exactly one handoff, so name one' : `no handoff ${id}`
    return fail(escapeText(`Run ${run.id} has ${wanted}. ${known}`), expectHandoff)
  }
  if (!diff.complete) {
    const missing = diff.receipt === undefined ? 'nobody received it' : 'its sender is not in the log'
    return fail(escapeText(`Handoff ${diff.handoff.id} cannot be judged: ${missing}.`), expectHandoff)
  }
  const own = findings.filter((finding) => finding.handoff === diff.handoff.id)
  return new HandoffExpectation(run, diff, own)
}
