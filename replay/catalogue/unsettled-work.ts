import { opInDoubtKeyMissing } from '../checks/op-in-doubt-key-missing.ts'
import type { CheckGroup } from './group.ts'

export const unsettledWork: CheckGroup = {
  title: 'Unsettled work',
  question: 'Which operations are unsettled, and does each key cross?',
  checks: [opInDoubtKeyMissing],
}
