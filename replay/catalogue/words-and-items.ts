import type { CheckGroup } from './group.ts'

export const wordsAndItems: CheckGroup = {
  title: 'Words and items',
  question: 'Which words crossed that should not, and which did not that should?',
  checks: [],
}
