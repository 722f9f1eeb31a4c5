import type { Metric } from './metric.ts'
import approvalsPreserved from './metrics/approvals-preserved.sql'
import artifactReuse from './metrics/artifact-reuse.sql'
import completeness from './metrics/completeness.sql'
import constraintRetention from './metrics/constraint-retention.sql'
import contextSize from './metrics/context-size.sql'
import corrections from './metrics/corrections.sql'
import cycles from './metrics/cycles.sql'
import delivery from './metrics/delivery.sql'
import determinism from './metrics/determinism.sql'
import findings from './metrics/findings.sql'
import handoffs from './metrics/handoffs.sql'
import keyCoverage from './metrics/key-coverage.sql'
import keyDrift from './metrics/key-drift.sql'
import leaks from './metrics/leaks.sql'
import originPreserved from './metrics/origin-preserved.sql'
import payloadGrowth from './metrics/payload-growth.sql'
import permissionsDrift from './metrics/permissions-drift.sql'
import redundantCalls from './metrics/redundant-calls.sql'
import repeatedEffects from './metrics/repeated-effects.sql'
import rework from './metrics/rework.sql'
import settleBeforePlan from './metrics/settle-before-plan.sql'
import timeToFirstCorrectAction from './metrics/time-to-first-correct-action.sql'
import twoActive from './metrics/two-active.sql'
import { readMetric } from './read-metric.ts'

const FILES: [name: string, sql: string][] = [
  ['handoffs', handoffs],
  ['key-coverage', keyCoverage],
  ['settle-before-plan', settleBeforePlan],
  ['repeated-effects', repeatedEffects],
  ['constraint-retention', constraintRetention],
  ['completeness', completeness],
  ['origin-preserved', originPreserved],
  ['permissions-drift', permissionsDrift],
  ['approvals-preserved', approvalsPreserved],
  ['redundant-calls', redundantCalls],
  ['context-size', contextSize],
  ['artifact-reuse', artifactReuse],
  ['rework', rework],
  ['time-to-first-correct-action', timeToFirstCorrectAction],
  ['corrections', corrections],
  ['payload-growth', payloadGrowth],
  ['cycles', cycles],
  ['two-active', twoActive],
  ['delivery', delivery],
  ['leaks', leaks],
  ['determinism', determinism],
  ['key-drift', keyDrift],
  ['findings', findings],
]

/** Every metric, in the order in which they are listed. Throws MetricFileError for a broken file. */
export function readCatalogue(): Metric[] {
  return FILES.map(([name, sql]) => readMetric(sql, `queries/metrics/${name}.sql`))
}

/** The names that are most like one that does not exist, the nearest first; none if nothing is near. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase().replace(/[_\s]+/g, '-')
  return names
    .map((known) => ({ known, distance: known.includes(wanted) && wanted !== '' ? 0 : edits(wanted, known) }))
    .filter(({ known, distance }) => distance <= Math.max(2, known.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ known }) => known)
}

/** Letters to insert, delete or replace (Levenshtein). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1)!
}
