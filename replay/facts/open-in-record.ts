import type { RecordOperation } from '../../model/record.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { readState } from '../fold/operation-state.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'

/**
 * What the sender's record calls in doubt and its operations log does not hold: a runtime may log calls nowhere else. An
 * entry that names neither a key nor an operation cannot be looked for at the other side.
 */
export function openOnlyInRecord(run: Run, { sent }: HandoffDiff): RecordOperation[] {
  const open = sent?.record?.openOperations ?? []
  if (open.length === 0) return []
  const logged = namesInLog(run)
  return open.filter(
    ({ op, key, state }) =>
      (key !== undefined || op !== undefined) &&
      (state === undefined || ['sent', 'unknown'].includes(readState(state))) &&
      ![op, key].some((name) => name !== undefined && logged.has(name)),
  )
}

/** Every operation id and every key of the operations log. */
export const namesInLog = oncePerRun((run) => {
  const names = new Set<string>()
  for (const { op, versions } of run.operations.values()) {
    names.add(op)
    for (const { value } of versions) if (value.key !== undefined) names.add(value.key)
  }
  return names
})
