import type { Item } from '../../model/items.ts'

/*
 * Calls and answers that have no id: Gemini's, the functions before tool calls, answers in the role of a tool without more.
 * They are told by their order: an answer is of the earliest call of its tool that has none yet.
 */

/** What a call and its result have in common: the call id, and the operation where the log names it. */
export function pairNames({ call, op }: { call?: string | undefined; op?: string | undefined }): string[] {
  const found: string[] = []
  if (call !== undefined) found.push(`call ${call}`)
  if (op !== undefined) found.push(`op ${op}`)
  return found
}

/** The names of the items of one type. */
export function namesOfType(items: readonly Item[], type: string): Set<string> {
  return new Set(items.filter((item) => item.type === type).flatMap(pairNames))
}

/** Each call or answer that has a partner only by its order, with that partner. */
export function pairsInOrder(items: readonly Item[]): ReadonlyMap<Item, Item> {
  const pairs = new Map<Item, Item>()
  if (!items.some(isNameless)) return pairs
  const [calls, results] = [namesOfType(items, 'tool_call'), namesOfType(items, 'tool_result')]
  let open: Item[] = []
  for (const item of items) {
    const names = pairNames(item)
    if (item.type === 'tool_call') {
      if (!names.some((name) => results.has(name))) open.push(item)
    } else if (isAnswer(item) && !names.some((name) => calls.has(name))) {
      const answered = open
        .filter((call) => mayAnswer(call, item))
        .slice(0, item.type === 'message' ? open.length : 1)
      for (const call of answered) pairs.set(call, item).set(item, call)
      open = open.filter((call) => !answered.includes(call))
    }
  }
  return pairs
}

function isNameless(item: Item): boolean {
  return item.call === undefined && item.op === undefined && (item.type === 'tool_call' || isAnswer(item))
}

/** A message in the role of a tool answers whatever was asked, in words for all of it. */
function isAnswer({ type, role }: Item): boolean {
  return type === 'tool_result' || (type === 'message' && role === 'tool')
}

/** Two that are both named belong together by their names or not at all. */
function mayAnswer(call: Item, answer: Item): boolean {
  if (pairNames(call).length > 0 && pairNames(answer).length > 0) return false
  return call.tool === undefined || answer.tool === undefined || call.tool === answer.tool
}
