import { normaliseText } from '../../model/hash.ts'
import type { Handoff, Run } from '../run.ts'
import { groupBy } from './dispatches.ts'
import { userTurns } from './user-turns.ts'

/** The same notice sent to and fro between two agents, in order. */
export type Echo = { handoffs: Handoff[]; text: string }

const EACH_WAY = 3

/** Notices that two agents sent each other at least three times each in the same words, while no person spoke. */
export function echoesOf(run: Run): Echo[] {
  const notices = run.handoffs.filter(
    (handoff) => handoff.mode === 'notify' && handoff.sent !== undefined && wordsOf(handoff) !== '',
  )
  if (notices.length < 2 * EACH_WAY) return []
  const turns = userTurns(run)
  const groups = groupBy(
    notices,
    (notice) => `${[notice.from ?? '', notice.to ?? ''].sort().join('\u0000')}\u0000${wordsOf(notice)}`,
  )
  return [...groups.values()].flatMap((group) => {
    const ways = groupBy(group, ({ from }) => from ?? '')
    const isEcho = ways.size === 2 && [...ways.values()].every(({ length }) => length >= EACH_WAY)
    if (!isEcho || turns.between(group[0]!.sent!.step, group.at(-1)!.sent!.step)) return []
    return [{ handoffs: group, text: wordsOf(group[0]!) }]
  })
}

function wordsOf({ sent, receipts }: Handoff): string {
  const items = sent?.items?.length ? sent.items : (receipts[0]?.items ?? [])
  return normaliseText(items.findLast(({ text }) => text.trim() !== '')?.text ?? '')
}
