import type { CheckGroup } from './group.ts'

export const rulesAndContract: CheckGroup = {
  title: 'Rules and contract',
  question: 'Which rules, promises and fields of the contract crossed?',
  checks: [],
}
