import { describe, expect, it } from 'vitest'
import { diffText } from '../../cli/render/diff-text.ts'
import { analyse } from '../../replay/analyse.ts'
import { describeEvent } from '../../replay/describe.ts'
import { handoffHeading } from '../../tui/rows/diff-heading.ts'
import { runOfTrace } from './traces.ts'

/** How a handoff of a recorded export is shown: in the diff as text, over the diff in the terminal, in the timeline. */
function shown(name: string): string[] {
  const { events } = runOfTrace(name)
  const diff = analyse(events).diffs[0]!
  const sent = events.find(({ kind }) => kind === 'handoff.sent')!
  return [
    diffText(diff, 100).split('\n')[0]!,
    handoffHeading(diff, 1, 1, () => undefined)
      .map(({ text }) => text)
      .join(''),
    describeEvent(sent).what,
  ]
}

describe('a handoff is shown with how it is known', () => {
  it('one that only the order of spans shows is called inferred', () => {
    for (const text of shown('triage.openllmetry')) expect(text).toContain('inferred from the order of spans')
  })

  it('one that nesting shows says so, one that is stated says nothing', () => {
    for (const text of shown('vercel-ai-sdk-v7-subagent')) expect(text).toContain('seen by nesting')
    for (const text of shown('triage.openinference')) expect(text).not.toMatch(/inferred|seen by|known by/)
  })
})
