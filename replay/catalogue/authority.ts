import { authorChanged } from '../checks/author-changed.ts'
import { foreignToolCalled } from '../checks/foreign-tool-called.ts'
import { originEscalated } from '../checks/origin-escalated.ts'
import { originLost } from '../checks/origin-lost.ts'
import { permissionGained } from '../checks/permission-gained.ts'
import { permissionLost } from '../checks/permission-lost.ts'
import type { CheckGroup } from './group.ts'

export const authority: CheckGroup = {
  title: 'Authority',
  question: 'Whose authority does the task carry?',
  checks: [originLost, originEscalated, permissionGained, permissionLost, authorChanged, foreignToolCalled],
}
