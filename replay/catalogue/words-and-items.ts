import { itemDuplicated } from '../checks/item-duplicated.ts'
import { itemOrphaned } from '../checks/item-orphaned.ts'
import { sensitiveLeaked } from '../checks/sensitive-leaked.ts'
import type { CheckGroup } from './group.ts'

export const wordsAndItems: CheckGroup = {
  title: 'Words and items',
  question: 'Which words crossed that should not, and which did not that should?',
  checks: [sensitiveLeaked, itemOrphaned, itemDuplicated],
}
