import { describe, expect, it } from 'vitest'
import { crossed, end, findingsOf, judge, operation, start } from '../run-builder.ts'

const brief = 'Write the survey of the harbour.'
const give = (to: string, task?: object) =>
  crossed(`to-${to}`, 'lead', to, [], { mode: 'delegate', brief, ...(task === undefined ? {} : { task }) })
const write = (agent: string, args: object, tool = 'write_file') =>
  operation(agent, `op-${agent}`, tool, args, 'settled', { key: `k-${agent}` })

/** Two writers get the same brief at once, and both write. */
const found = (task: object | undefined, ...writes: ReturnType<typeof write>[]) =>
  findingsOf(judge(start(), ...give('mara', task), ...give('nils', task), ...writes, end()), 'two-active')

describe('one task, by its id, at two agents at work', () => {
  const own = [
    write('mara', { path: 'survey.md', text: 'A' }),
    write('nils', { path: 'survey.md', text: 'B' }),
  ]

  it('is found whatever each of them writes', () => {
    expect(found({ id: 'task-1' }, ...own)).toHaveLength(1)
  })
  it('is not found where no id says that the task is one, or only one of them writes', () => {
    expect(found(undefined, ...own)).toEqual([])
    expect(found({ id: 'task-1' }, own[0]!)).toEqual([])
    expect(found({ id: 'task-1' }, own[0]!, write('nils', { to: 'mara' }, 'send_note'))).toEqual([])
  })
  it('is not found where the first had written before the second began', () => {
    const run = [...give('mara', { id: 't' }), own[0]!, ...give('nils', { id: 't' }), own[1]!]
    expect(findingsOf(judge(start(), ...run, end()), 'two-active')).toEqual([])
  })
})

describe('who asks a higher one for a yes', () => {
  const deploy = operation('mate', 'op-1', 'deploy', { service: 'n7' }, 'settled', { key: 'k1' })
  const checksOf = (requested_action?: string) =>
    judge(
      start(),
      ...crossed('h1', 'mate', 'lead', [], {
        mode: 'escalate',
        ...(requested_action === undefined ? {} : { requested_action }),
      }),
      deploy,
      end(),
    )
  it.each(['review', 'approve'])(
    'keeps the task: that no verdict came is all that is wrong (%s)',
    (action) => {
      expect(findingsOf(checksOf(action), 'verdict-missing')).toHaveLength(1)
      expect(findingsOf(checksOf(action), 'two-active')).toEqual([])
    },
  )
  it.each([undefined, 'continue', 'execute'])('gave it away where it asked for more (%s)', (action) => {
    expect(findingsOf(checksOf(action), 'two-active')).toHaveLength(1)
  })
})
