import { describe, expect, it } from 'vitest'
import { type Entry, findingsOf, judge, operation, sent, start } from '../run-builder.ts'

const AUDIT = { slot: '02' }
const audit = (op: string, state: string, key: string, fields: object = {}) =>
  operation('scheduler', op, 'start_audit', AUDIT, state, { key, ...fields })
const failed = (outcome: string): Entry => ({
  kind: 'handoff.failed',
  handoff: 'h1',
  outcome,
  error: 'no connection',
})

/** A launch that was delegated, the delegation failed, and the launch is tried again under a new key. */
function relaunched(outcome: string, ...filed: Entry[]) {
  return judge(
    start(),
    audit('op-1', 'proposed', 'run-a1'),
    sent('h1', 'scheduler', 'fleet', { mode: 'delegate' }),
    failed(outcome),
    ...filed,
    audit('op-2', 'sent', 'run-b7'),
  )
}

describe('a write that went out with a handoff which ended unknown', () => {
  it('is still in doubt when it is filed as failed without a look-up, and retried', () => {
    const run = relaunched('unknown', audit('op-1', 'failed', 'run-a1'))
    expect(findingsOf(run, 'op-state-changed')).toHaveLength(1)
    expect(findingsOf(run, 'retry-new-key')).toHaveLength(1)
  })

  it('is in doubt when nothing more is logged of it', () => {
    expect(findingsOf(relaunched('unknown'), 'retry-new-key')).toHaveLength(1)
    expect(findingsOf(relaunched('unknown'), 'op-state-changed')).toEqual([])
  })

  it('is settled by a look-up, and by a refusal before any effect', () => {
    const looked = relaunched('unknown', audit('op-1', 'failed', 'run-a1', { by: 'key' }))
    const refused = relaunched('refused-before-effect', audit('op-1', 'failed', 'run-a1'))
    for (const run of [looked, refused]) {
      expect(findingsOf(run, 'op-state-changed')).toEqual([])
      expect(findingsOf(run, 'retry-new-key')).toEqual([])
    }
  })
})
