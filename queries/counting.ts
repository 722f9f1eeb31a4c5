import type { Suppression } from '../replay/suppress.ts'
import { isExpired } from '../replay/suppress.ts'

/**
 * A query over what counts on a day (YYYY-MM-DD): `findings` stands for the findings that no suppression covers, `runs` has
 * their numbers, and `suppressed` holds the others with `reason` and `until`. The views themselves hold every finding.
 */
export function counting(sql: string, suppressions: readonly Suppression[], today: string): string {
  const standing = suppressions.filter((suppression) => !isExpired(suppression, today))
  return `WITH ${standing.length === 0 ? NOTHING : parted(standing)} ${sql}`
}

const NOTHING =
  'suppressed AS (SELECT *, NULL::VARCHAR AS reason, NULL::VARCHAR AS until FROM main.findings WHERE false)'

function parted(standing: readonly Suppression[]): string {
  // The first that covers a finding says why, as in replay/suppress.ts.
  const first = standing.map((one, index) => `WHEN ${covers(one)} THEN ${index}`).join(' ')
  const rows = standing.map(({ reason, until }, index) => `(${index}, ${text(reason)}, ${text(until)})`)
  return `
    marked AS (SELECT *, CASE ${first} END AS suppression FROM main.findings),
    suppressed AS (SELECT marked.* EXCLUDE (suppression), reason, until
      FROM marked JOIN (VALUES ${rows.join(', ')}) AS given(suppression, reason, until) USING (suppression)),
    findings AS (SELECT * EXCLUDE (suppression) FROM marked WHERE suppression IS NULL),
    less AS (SELECT run, count(*) AS findings, count(*) FILTER (severity = 'error') AS errors,
      count(*) FILTER (severity = 'warning') AS warnings FROM suppressed GROUP BY run),
    fewer AS (SELECT r.* REPLACE (
        r.findings - coalesce(less.findings, 0) AS findings,
        r.errors - coalesce(less.errors, 0) AS errors,
        r.warnings - coalesce(less.warnings, 0) AS warnings)
      FROM main.runs r LEFT JOIN less USING (run)),
    runs AS (SELECT * REPLACE (CASE WHEN errors > 0 THEN 'error' WHEN warnings > 0 THEN 'warning'
      WHEN findings > 0 THEN 'info' END AS worst) FROM fewer)`
}

function covers({ check, fingerprint, agents }: Suppression): string {
  const conditions = [
    ...(check === undefined ? [] : [`check_id = ${text(check)}`]),
    ...(fingerprint === undefined ? [] : [`fingerprint = ${text(fingerprint)}`]),
    ...(agents ?? []).map((agent) => `list_contains(agents, ${text(agent)})`),
  ]
  return `(${conditions.join(' AND ') || 'true'})`
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
