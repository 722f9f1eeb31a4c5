import type { CheckGroup } from './group.ts'

export const authority: CheckGroup = {
  title: 'Authority',
  question: 'Whose authority does the task carry?',
  checks: [],
}
