import { normaliseText } from '../../model/hash.ts'
import { type Item, textOfContent } from '../../model/items.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Receipt, Run, Step } from '../run.ts'
import { groupBy } from './dispatches.ts'
import { latestReceipt } from './participation.ts'

/** How often the words of an item were known to the receiver before: in the log, or in the last list that it had. */
export function timesSaidBefore(run: Run, { by, step }: Receipt): (item: Item) => number {
  return (item) => {
    const text = normaliseText(item.text)
    const said = (messagesByText(run).get(`${item.role}\u0000${text}`) ?? []).filter((at) => at < step).length
    if (by === undefined) return said
    const lists = [latestReceipt(run, by, step)?.receipt.items, lastSentBy(run, by, step)]
    const times = lists.map(
      (list) =>
        (list ?? []).filter((other) => other.role === item.role && normaliseText(other.text) === text).length,
    )
    return Math.max(said, ...times)
  }
}

/** The texts that the receiver's model had before a payload: in the last lists it got and sent, and what it said itself. */
export function textsKnownBefore(run: Run, { by, step }: Receipt): ReadonlySet<string> {
  if (by === undefined) return new Set()
  const lists = [latestReceipt(run, by, step)?.receipt.items, lastSentBy(run, by, step)]
  const said = run.messages.filter((message) => message.step < step && message.event.agent === by)
  return new Set([
    ...lists.flatMap((list) => (list ?? []).map(({ text }) => normaliseText(text))),
    ...said.map(({ event }) => normaliseText(textOfContent(event.content))),
  ])
}

const messagesByText = oncePerRun((run): Map<string, Step[]> => {
  const said = run.messages.map(({ step, event }) => ({
    step,
    name: `${event.role ?? 'assistant'}\u0000${normaliseText(textOfContent(event.content))}`,
  }))
  return new Map(
    [...groupBy(said, ({ name }) => name)].map(([name, all]) => [name, all.map(({ step }) => step)]),
  )
})

function lastSentBy(run: Run, agent: string, before: Step): readonly Item[] | undefined {
  return run.handoffs.findLast(({ from, sent }) => from === agent && sent !== undefined && sent.step < before)
    ?.sent?.items
}
