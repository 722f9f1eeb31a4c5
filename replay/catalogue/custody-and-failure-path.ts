import type { CheckGroup } from './group.ts'

export const custodyAndFailurePath: CheckGroup = {
  title: 'Custody and failure path',
  question: 'Who owns the task at every point, and what happens when delivery fails?',
  checks: [],
}
