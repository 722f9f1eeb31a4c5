import { canonicalJson, normaliseText } from '../../model/hash.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import type { Draft } from '../finding.ts'
import { statedInstant } from '../fold/time.ts'
import { aboutHandoff, bothSides, quote, receiverOf } from '../phrase.ts'

// Each of these has checks of its own.
const JUDGED_ELSEWHERE = new Set([
  'origin',
  'constraints',
  'evidence',
  'open_operations',
  'completed_effects',
  'pending_actions',
  'commitments',
  'permissions',
  'correlation_id',
])

export const recordChanged: Check = {
  id: 'record-changed',
  severity: 'warning',
  title: 'A field of the record changed on the way',
  question: 'Is the record that arrived the one that was sent?',
  definition:
    'Raised for each field of the record that both sides have, or that only the sender has, with another value at the ' +
    'receiver: task, intent, status, next action, stop condition, deadlines and any other that has no check of its own. ' +
    'Spacing, the form of a time, the order of plain lists and added fields are no change. Needs the record of both sides.',
  check({ diffs }) {
    return { findings: diffs.flatMap(changedFields) }
  },
}

function changedFields(diff: HandoffDiff): Draft[] {
  const before = diff.sent?.record?.raw
  const after = diff.receipt?.record?.raw
  if (before === undefined || after === undefined) return []
  return Object.keys(before).flatMap((field) => {
    const [was, is] = [before[field], after[field]]
    if (JUDGED_ELSEWHERE.has(field) || isEmpty(was) || plain(was) === plain(is)) return []
    const now = isEmpty(is) ? 'it is gone' : `it says ${quote(shown(is))}`
    return [
      {
        ...aboutHandoff(diff.handoff),
        subject: { kind: 'item', id: `record.${field}` },
        message:
          `${diff.handoff.from ?? 'The sender'} wrote ${field} ${quote(shown(was))} into the record; at ${receiverOf(diff.handoff)} ${now}. ` +
          'The receiver works under another contract than the one that was given.',
        evidence: bothSides(diff).map((side) => ({ ...side, path: `record.${field}` })),
        remedy: 'Pass the record on as it is, and let no model write it anew.',
        trait: field,
      },
    ]
  })
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function plain(value: unknown): string {
  if (typeof value === 'string') return String(statedInstant(value) ?? normaliseText(value))
  if (Array.isArray(value)) return canonicalJson(value.map(plain).sort())
  if (typeof value === 'object' && value !== null)
    return canonicalJson(
      Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)])),
    )
  return canonicalJson(value)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : jsonString(value)
}
