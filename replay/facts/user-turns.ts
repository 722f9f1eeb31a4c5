import { isAgentsWord, isBareCall } from '../../model/item-forms.ts'
import { type Item, readItems, textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { EventOf } from '../../model/run-log.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run, Step } from '../run.ts'
import { anyBetween } from '../steps.ts'
import { readingOf } from './readings.ts'

/** Steps at which a person said something new, in order: logged as a message, or first seen among the items. */
export type UserTurns = { between(after: Step, before: Step): boolean }

// Written by no person, whatever role it stands in.
const NOT_A_PERSON = new Set(['framework', 'agent', 'assistant', 'system', 'tool', 'runtime', 'unknown'])

export const userTurns = oncePerRun((run): UserTurns => {
  const found: Step[] = run.messages.filter(({ event }) => isUsers(event)).map(({ step }) => step)
  const plain = (text: string) => readingOf(run, text).plain
  const seen = new Set(run.messages.map(({ event }) => plain(textOfContent(event.content))))
  for (const { step, items, grows } of itemLists(run)) {
    let isNew = false
    for (const item of items) {
      if (item.role !== 'user' || item.type !== 'message') continue
      const names = [item.id, plain(item.text)].filter((name) => name !== undefined)
      if (!names.some((name) => seen.has(name)) && !NOT_A_PERSON.has(item.origin?.kind ?? '')) isNew = true
      for (const name of names) seen.add(name)
    }
    if (isNew && grows) found.push(step)
  }
  const steps = found.sort((a, b) => a - b)
  return { between: (after, before) => anyBetween(steps, after, before) }
})

function isUsers(event: EventOf<'message'>): boolean {
  const kind = isObject(event.origin) ? textOf(event.origin.kind) : textOf(event.origin)
  return event.role === 'user' && !NOT_A_PERSON.has(kind ?? '')
}

/**
 * Every captured list, in order. `grows` is true where new words of the user's can only be a new turn: in a request that
 * continues a conversation. A first list, or a brief, holds words that are new only to its reader.
 */
function itemLists(run: Run): { step: Step; items: readonly Item[]; grows: boolean }[] {
  const handoffs = run.handoffs.flatMap(({ mode, sent, receipts }) => {
    const continues = mode !== 'delegate' && mode !== 'notify' && (sent?.items?.length ?? 0) > 0
    return [
      ...(sent?.items === undefined ? [] : [{ step: sent.step, items: sent.items, grows: false }]),
      ...receipts.map(({ step, items }) => ({ step, items: items ?? [], grows: continues })),
    ]
  })
  const inputs = run.modelInputs.map(({ step, event }) => ({
    step,
    items: readItems(event.items?.filter((item) => !isBareCall(item) && !isAgentsWord(item))),
    grows: true,
  }))
  return [...handoffs, ...inputs].sort((a, b) => a.step - b.step)
}
