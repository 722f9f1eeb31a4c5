import { attachmentDropped } from '../checks/attachment-dropped.ts'
import { filterNotApplied } from '../checks/filter-not-applied.ts'
import { itemDuplicated } from '../checks/item-duplicated.ts'
import { itemOrphaned } from '../checks/item-orphaned.ts'
import { itemReordered } from '../checks/item-reordered.ts'
import { payloadEmpty } from '../checks/payload-empty.ts'
import { payloadGrowth } from '../checks/payload-growth.ts'
import { payloadNondeterministic } from '../checks/payload-nondeterministic.ts'
import { payloadTooLarge } from '../checks/payload-too-large.ts'
import { recordChanged } from '../checks/record-changed.ts'
import { sensitiveLeaked } from '../checks/sensitive-leaked.ts'
import { staleRefusalCarried } from '../checks/stale-refusal-carried.ts'
import type { CheckGroup } from './group.ts'

export const wordsAndItems: CheckGroup = {
  title: 'Words and items',
  question: 'Which words crossed that should not, and which did not that should?',
  checks: [
    sensitiveLeaked,
    filterNotApplied,
    itemOrphaned,
    itemDuplicated,
    itemReordered,
    attachmentDropped,
    payloadEmpty,
    payloadTooLarge,
    payloadGrowth,
    payloadNondeterministic,
    staleRefusalCarried,
    recordChanged,
  ],
}
