import { describe, expect, it } from 'vitest'
import { readApprovalState } from '../../replay/fold/approval-state.ts'
import { readState } from '../../replay/fold/operation-state.ts'

// Names that every object of JavaScript has.
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']

describe('words for states', () => {
  it('are read whatever their case and separators', () => {
    expect(['Timed out', 'in-flight', 'DONE', 'settled'].map(readState)).toEqual([
      'unknown',
      'sent',
      'settled',
      'settled',
    ])
    expect(['Awaiting approval', 'GRANTED', 'no', 'used'].map(readApprovalState)).toEqual([
      'pending',
      'approved',
      'rejected',
      'consumed',
    ])
  })

  it('that are foreign stay as they are, whatever they are', () => {
    for (const word of ['withdrawn', ...INHERITED]) {
      expect(readState(word)).toBe(word)
      expect(readApprovalState(word)).toBe(word)
    }
  })
})
