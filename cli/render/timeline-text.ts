import { escapeText } from '../../model/escape.ts'
import { describeEvent } from '../../replay/describe.ts'
import type { Finding } from '../../replay/finding.ts'
import type { Run, Step } from '../../replay/run.ts'
import { stateAt } from '../../replay/state.ts'
import { colour } from './colours.ts'
import { padEnd } from './columns.ts'
import { cut } from './diff-text.ts'

/** The run as lines: step, time since its start, agent, what happened; steps that a finding points to are marked. */
export function timelineText(run: Run, findings: readonly Finding[], width: number): string[] {
  const start = run.startedAt === undefined ? undefined : Date.parse(run.startedAt)
  const agentWidth = Math.min(
    16,
    Math.max(5, ...run.events.map((event) => describeEvent(event).agent.length)),
  )
  const pointedAt = new Set(findings.flatMap((finding) => finding.evidence.map(({ step }) => step)))
  const stepWidth = String(run.events.length).length
  return run.events.map((event, step) => {
    const { agent, what } = describeEvent(event)
    const mark = pointedAt.has(step) ? colour.error('!') : ' '
    const head = `${String(step + 1).padStart(stepWidth)} ${padEnd(elapsed(start, event.at), 10)}`
    const name = colour.agent(padEnd(escapeText(cut(agent, agentWidth)), agentWidth))
    const room = width - stepWidth - 10 - agentWidth - 5
    return `${mark}${head} ${name}  ${cut(escapeText(what), room)}`
  })
}

function elapsed(start: number | undefined, at: string | undefined): string {
  const now = at === undefined ? Number.NaN : Date.parse(at)
  const seconds = (now - (start ?? Number.NaN)) / 1000
  if (Number.isNaN(seconds)) return ''
  return seconds < 100 ? `+${seconds.toFixed(3)} s` : `+${Math.round(seconds)} s`
}

/** The state at a step: who owns the task, the operations log, what waits, what binds. */
export function stateText(run: Run, step: Step): string[] {
  const state = stateAt(run, step)
  const line = (text: string) => `  ${escapeText(text)}`
  const list = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : [colour.strong(title), ...lines]
  return [
    colour.strong(`state at step ${step + 1}`),
    ...(state.owner === undefined ? [] : [line(`owner: ${state.owner}`)]),
    ...list(
      'operations',
      state.operations.map(({ operation, version, inDoubt }) => {
        const key = version.key === undefined ? 'no key' : `key ${version.key}`
        const text = `${operation.op}  ${operation.tool}  ${operation.effect}  ${version.state}  ${key}`
        return inDoubt ? colour.warning(line(`${text}  IN DOUBT`)) : line(text)
      }),
    ),
    ...list(
      'approvals',
      state.approvals.map(({ approval, version }) =>
        line(`${approval.id}  ${version.action ?? ''}  ${version.state}`),
      ),
    ),
    ...list(
      'constraints',
      state.constraints.map(({ id, text }) => line(`${id}  ${text}`)),
    ),
    ...list(
      'commitments',
      state.commitments.map(({ id, text }) => line(`${id}  ${text}`)),
    ),
  ]
}
