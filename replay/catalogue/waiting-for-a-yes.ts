import type { CheckGroup } from './group.ts'

export const waitingForAYes: CheckGroup = {
  title: 'Waiting for a yes',
  question: 'What waits for a decision, and does it keep its id and scope?',
  checks: [],
}
