import { plural } from '../../model/counts.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { Finding } from '../../replay/finding.ts'
import { cutMiddle, type Line } from '../lines.ts'

/** `run order-4711  2 agents · 1 handoff · 3 errors`. */
export function runTitle({ run, findings }: Analysis): Line {
  return [
    { text: `run ${cutMiddle(run.id, 30)}`, tone: 'strong' },
    { text: `  ${plural(run.agents.size, 'agent')} · ${plural(run.handoffs.length, 'handoff')} · ` },
    ...severityCounts(findings),
  ]
}

/** `2 errors, 1 warning`; `no findings` for none. */
export function severityCounts(findings: readonly Pick<Finding, 'severity'>[]): Line {
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  const [errors, warnings, info] = [count('error'), count('warning'), count('info')]
  if (errors + warnings + info === 0) return [{ text: 'no findings', tone: 'good' }]
  return [
    ...(errors > 0 ? [{ text: plural(errors, 'error'), tone: 'error' as const }] : []),
    ...(warnings > 0
      ? [{ text: `${errors > 0 ? ', ' : ''}${plural(warnings, 'warning')}`, tone: 'warning' as const }]
      : []),
    ...(info > 0
      ? [{ text: `${errors + warnings > 0 ? ', ' : ''}${info} info`, tone: 'faint' as const }]
      : []),
  ]
}
