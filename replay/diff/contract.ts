import type { HandoffRecord } from '../../model/record.ts'
import type { ContractField, FieldState } from './handoff-diff.ts'

/** The six fields that a task contract needs, in their order. */
export const CONTRACT_FIELDS = [
  'intent',
  'constraints',
  'status',
  'evidence',
  'next_action',
  'stop_condition',
] as const

/** Which fields of the contract each side's record holds. */
export function diffContract(
  sent: HandoffRecord | undefined,
  received: HandoffRecord | undefined,
): ContractField[] {
  return CONTRACT_FIELDS.map((field) => ({
    field,
    sent: stateOf(sent, field),
    received: stateOf(received, field),
  }))
}

function stateOf(record: HandoffRecord | undefined, field: string): FieldState {
  const value = record?.raw[field]
  if (value === undefined || value === null) return 'absent'
  if (typeof value === 'string') return value.trim() === '' ? 'empty' : 'present'
  return typeof value === 'object' && Object.keys(value).length === 0 ? 'empty' : 'present'
}
