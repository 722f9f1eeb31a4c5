import { handoffCycle } from '../checks/handoff-cycle.ts'
import { handoffDropped } from '../checks/handoff-dropped.ts'
import { twoActive } from '../checks/two-active.ts'
import type { CheckGroup } from './group.ts'

export const custodyAndFailurePath: CheckGroup = {
  title: 'Custody and failure path',
  question: 'Who owns the task at every point, and what happens when delivery fails?',
  checks: [handoffDropped, twoActive, handoffCycle],
}
