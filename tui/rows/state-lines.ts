import { canonicalJson } from '../../model/hash.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { Step } from '../../replay/run.ts'
import { stateAt } from '../../replay/state.ts'
import { type Line, line } from '../lines.ts'
import type { TraceLink } from '../trace-link.ts'

const MOST_OPERATIONS = 300

/** What the log said at a step: owner, operations, what waits, what binds; first what findings say of this step. */
export function stateLines({ run, findings }: Analysis, step: Step, traceLink: TraceLink): Line[] {
  const state = stateAt(run, step)
  const changed = (versions: readonly { step: Step }[]) => versions.some((version) => version.step === step)
  const mark = (versions: readonly { step: Step }[]) => ({
    text: changed(versions) ? '» ' : '  ',
    tone: 'key' as const,
  })
  return [
    ...findingsHere(findings, step),
    [
      { text: 'owner  ' },
      { text: state.owner ?? 'nobody yet', tone: state.owner === undefined ? 'faint' : 'agent' },
    ],
    ...traceLine(run.events[step]?.trace, traceLink),
    ...group(
      'operations',
      inDoubtFirst(state.operations, MOST_OPERATIONS).flatMap(({ operation, version, inDoubt }) => {
        const key = version.key === undefined ? 'no key' : `key ${version.key}`
        const head: Line = [
          mark(operation.versions),
          { text: `${operation.op} ${operation.tool} ` },
          {
            text: inDoubt ? `${version.state.toUpperCase()}, IN DOUBT` : version.state,
            tone: inDoubt ? 'warning' : 'faint',
          },
        ]
        const under = operation.effect === 'write' ? `    ${key}` : ''
        return under === '' ? [head] : [head, line(under, inDoubt ? 'warning' : 'faint')]
      }),
    ),
    ...group(
      'approvals',
      state.approvals.map(({ approval, version }): Line => {
        const scope = version.scope === undefined ? '' : ` ${canonicalJson(version.scope)}`
        return [
          mark(approval.versions),
          { text: `${approval.id} ${version.action ?? ''}${scope} ` },
          { text: version.state, tone: version.state === 'pending' ? 'warning' : 'faint' },
        ]
      }),
    ),
    ...group(
      'constraints',
      state.constraints.map((constraint) => [
        mark(constraint.versions),
        { text: `${constraint.id} ` },
        { text: constraint.text, tone: 'faint' },
      ]),
    ),
    ...group(
      'commitments',
      state.commitments.map((commitment) => [
        mark(commitment.versions),
        { text: `${commitment.id} ` },
        { text: commitment.text, tone: 'faint' },
      ]),
    ),
    ...group(
      'permissions',
      state.permissions.map(({ agent, permissions }) => [
        { text: `  ${agent} ` },
        { text: canonicalJson(permissions), tone: 'faint' },
      ]),
    ),
  ]
}

/** In which trace of OpenTelemetry the event stands. */
function traceLine(trace: { id?: unknown; span?: unknown } | undefined, traceLink: TraceLink): Line[] {
  if (typeof trace?.id !== 'string') return []
  return [[{ text: 'trace  ' }, { text: trace.id, tone: 'agent', link: traceLink(trace) }]]
}

function group(title: string, lines: readonly Line[]): Line[] {
  return lines.length === 0 ? [] : [line(title, 'title'), ...lines]
}

/** Those in doubt, then the others from the newest on, as many as a person may want to scroll through. */
function inDoubtFirst<T extends { inDoubt: boolean }>(operations: readonly T[], most: number): T[] {
  const open = operations.filter(({ inDoubt }) => inDoubt)
  return [...open, ...operations.filter(({ inDoubt }) => !inDoubt).reverse()].slice(0, most)
}

/** A line each: the diff and the list of findings have the whole text. */
function findingsHere(findings: Analysis['findings'], step: Step): Line[] {
  return findings
    .filter(({ evidence }) => evidence.some((one) => one.step === step))
    .map(({ severity, check, message }) => [
      { text: `${severity} ${check}  `, tone: severity === 'error' ? 'error' : 'warning' },
      { text: message, tone: 'faint' },
    ])
}
