import { describe, expect, it } from 'vitest'
import { end, findingsOf, judge, operation, read, received, sent, start } from '../run-builder.ts'

/* An agent that was resumed knows what it was resumed with, and holds no line on which a reply could come. */

const RULE = 'never push to the main branch'
const rule = {
  kind: 'constraint',
  id: 'k1',
  text: RULE,
  scope: 'run',
  check: { forbid: { tool: 'git_push' } },
}
const resume = (items: object[], fields: object = {}) => [
  sent('h1', 'coder', 'coder', { mode: 'resume', reason: 'compaction', ...fields }),
  received('h1', 'coder', { mode: 'resume', items }),
]
const note = (content: string) => ({ id: 'n1', type: 'note', content })

describe('a rule that was broken after a resume', () => {
  const push = operation('coder', 'op-1', 'git_push', { branch: 'main' }, 'settled', { key: 'k' })
  const saidOf = (items: object[], fields: object = {}) =>
    findingsOf(judge(start(), rule, ...resume(items, fields), push, end()), 'constraint-violated').map(
      ({ attribution }) => attribution,
    )
  it('was dropped at the handoff where the payload lacks it', () => {
    expect(saidOf([note('Twelve files were deleted.')])).toEqual(['dropped at the handoff'])
  })
  it('was carried where the payload holds it, or the provider keeps the history', () => {
    expect(saidOf([note(RULE)])).toEqual(['carried, not followed'])
    expect(saidOf([note('More.')], { policy: { history: 'server-managed' } })).toEqual([
      'carried, not followed',
    ])
  })
})

describe('a request on its way when its process ended', () => {
  const tag = (state: string, fields: object = {}) =>
    operation('coder', 'op-1', 'push_tag', { tag: 'v2' }, state, { key: 'push-1', ...fields })
  const found = read('coder', 'op-2', 'find_tag', { tag: 'v2' }, 'settled', { result: 'tag v2 exists' })
  const settled = tag('settled', { result: 'tag v2 exists' })
  const judgeBetween = (...between: Parameters<typeof judge>) =>
    findingsOf(judge(start(), tag('sent'), ...between, found, settled, end()), 'settled-by-details')
  it.each([
    ['a crash', [{ kind: 'process.crash', agent: 'coder' }]],
    ['a resume', resume([])],
  ])('gets no reply any more: what settles it was looked up (%s)', (_, between) => {
    expect(judgeBetween(...between)).toHaveLength(1)
  })
  it('gets its reply as long as its process lives', () => {
    expect(judgeBetween()).toEqual([])
    expect(judgeBetween({ kind: 'process.crash', agent: 'reviewer' })).toEqual([])
  })
})
