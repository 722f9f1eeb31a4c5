import type { Finding } from './finding.ts'

/** Findings that are accepted for a while. It says at least one of check, agents and fingerprint; all that it says must match. */
export type Suppression = {
  check?: string | undefined
  /** All of them take part in the finding. */
  agents?: readonly string[] | undefined
  fingerprint?: string | undefined
  reason: string
  /** Last day on which it holds, YYYY-MM-DD, in UTC. */
  until: string
}

/** What a suppression looks at: a finding, or its row in the store. */
export type Suppressible = Pick<Finding, 'check' | 'fingerprint' | 'agents'>

/** A finding that is not counted, and why. */
export type Suppressed<F extends Suppressible = Finding> = F & {
  suppressed: { reason: string; until: string }
}

/** Parts findings into those that count and those that a suppression covers on a day (YYYY-MM-DD). */
export function suppress<F extends Suppressible>(
  findings: readonly F[],
  suppressions: readonly Suppression[],
  today: string,
): { findings: F[]; suppressed: Suppressed<F>[] } {
  const standing = suppressions.filter((suppression) => !isExpired(suppression, today))
  const kept: F[] = []
  const suppressed: Suppressed<F>[] = []
  for (const finding of findings) {
    const match = standing.find((suppression) => covers(suppression, finding))
    if (match === undefined) kept.push(finding)
    else suppressed.push({ ...finding, suppressed: { reason: match.reason, until: match.until } })
  }
  return { findings: kept, suppressed }
}

/** True from the day after its end on: then it suppresses nothing. */
export function isExpired({ until }: Suppression, today: string): boolean {
  return until < today
}

function covers({ check, agents, fingerprint }: Suppression, finding: Suppressible): boolean {
  return (
    (check === undefined || check === finding.check) &&
    (fingerprint === undefined || fingerprint === finding.fingerprint) &&
    (agents === undefined || agents.every((agent) => finding.agents.includes(agent)))
  )
}
