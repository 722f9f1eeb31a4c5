import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Handoff } from '../run.ts'

/** What a handoff asks for, in a form that two can be compared by. */
export type Task = {
  /** Equal for two handoffs that ask for the same. */
  name: string
  /** True if a brief says what is wanted; a reason alone is often the same word every time. */
  briefed: boolean
  text: string
}

/** The id under which the sender knows the task. */
export function taskIdOf({ sent }: Handoff): string | undefined {
  const task = sent?.event.task
  return textOf(task) ?? (isObject(task) ? textOf(task.id) : undefined)
}

/** The brief, else the record's task or intent, else the reason together with the last words that were handed over. */
export function taskOf(handoff: Handoff): Task {
  const { sent, reason } = handoff
  const brief = sent?.event.brief ?? textOf(sent?.record?.raw.task) ?? textOf(sent?.record?.raw.intent)
  if (brief !== undefined && brief !== null && brief !== '') {
    const text = typeof brief === 'string' ? brief : jsonString(brief)
    return {
      name: `brief ${plain(typeof brief === 'string' ? brief : canonicalJson(brief))}`,
      briefed: true,
      text,
    }
  }
  const items = sent?.items ?? handoff.receipts[0]?.items ?? []
  const last = items.findLast((item) => item.type === 'message' && item.text !== '')
  return {
    name: `reason ${plain(reason ?? '')} ${plain(last?.text ?? '')}`,
    briefed: false,
    text: reason ?? last?.text ?? '',
  }
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim()
}
