import { canonicalJson } from '../../model/hash.ts'
import type { HandoffDiff, OperationCrossing } from '../../replay/diff/handoff-diff.ts'
import type { Tone } from '../tone.ts'
import type { DiffRow, Mark } from './diff-row.ts'

/** The sender's operations log: what is in doubt with all that is said of it, what is settled in one line. */
export function operationRows(diff: HandoffDiff): DiffRow[] {
  return diff.operations.map((crossing) => operationRow(crossing, diff))
}

function operationRow(crossing: OperationCrossing, diff: HandoffDiff): DiffRow {
  const { operation, version, inDoubt, degree, guess, evidence } = crossing
  const assumed = operation.effectAssumed ? ' (effect not declared)' : ''
  const name = `${operation.op} ${operation.tool} ${operation.effect}${assumed}`
  const base = {
    id: operation.id,
    subject: operation.op,
    verdict: `${degree}${guess ? ' (guess)' : ''}`,
    right: [],
    rests: evidence.flatMap(({ path }) => (path === undefined ? [] : [path])),
    value: operation.versions.map(({ value }) => value.event),
  }
  // What is settled is folded to one line: the question is what is not.
  if (!inDoubt) {
    const state = `${name}  ${version.state}`
    return {
      ...base,
      left: [state],
      mark: '·',
      detail: [{ text: `${operation.op} was ${version.state} when it was sent on` }],
    }
  }
  const left = [
    `${name}  ${version.state.toUpperCase()}`,
    ...(version.key === undefined ? ['  no key'] : [`  key ${version.key}`]),
    ...(version.args === undefined ? [] : [`  ${canonicalJson(version.args).slice(0, 400)}`]),
  ]
  return { ...base, left, mark: markOf(crossing), detail: doubtDetail(crossing, diff) }
}

function markOf({ degree }: OperationCrossing): Mark {
  if (degree === 'carried') return '✓'
  return degree === 'altered' || degree === 'key in words' ? '!' : '✗'
}

/** Degree and both timings, what they rest on, and what became of it at the receiver. */
function doubtDetail(crossing: OperationCrossing, diff: HandoffDiff): DiffRow['detail'] {
  const { operation, degree, guess, matched, differences, timings } = crossing
  const keyless = ['described', 'mentioned', 'absent'].includes(degree) ? ', key absent' : ''
  const words = matched === undefined ? '' : `: "${matched.slice(0, 300)}"`
  const out: DiffRow['detail'] = [
    {
      text: `${operation.op}: ${degree.toUpperCase()}${keyless}${guess ? ' (a guess from words)' : ''}${words}`,
      tone: degree === 'carried' ? 'good' : 'error',
    },
  ]
  if (timings !== undefined) {
    out.push(
      { text: `if it landed:              ${shout(timings.landed)}`, tone: timingTone(timings.landed) },
      { text: `if it is still travelling: ${shout(timings.delayed)}`, tone: timingTone(timings.delayed) },
      { text: timings.reason, tone: 'faint' },
    )
  }
  for (const { field, sent, received } of differences)
    out.push({
      text: `${field}: ${canonicalJson(sent ?? null)} → ${canonicalJson(received ?? null)}`,
      tone: 'warning',
    })
  for (const settling of diff.settling.filter(({ operation: other }) => other === operation)) {
    const how = settling.how === undefined ? '' : ` (${settling.how})`
    const took = settling.milliseconds === undefined ? '' : ` after ${settling.milliseconds} ms`
    const what =
      settling.order === 'not settled'
        ? 'not settled by the receiver'
        : `settled ${settling.order}${how}${took}`
    out.push({ text: what, tone: settling.order === 'before planning' ? 'good' : 'warning' })
  }
  return out
}

function shout(verdict: string): string {
  return verdict === 'repeats the effect' ? verdict.toUpperCase() : verdict
}

function timingTone(verdict: string): Tone {
  if (verdict === 'safe') return 'good'
  return verdict === 'unknown' ? 'warning' : 'error'
}
