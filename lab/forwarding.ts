import type { Item } from './conversation.ts'
import { ORDER } from './order.ts'

/** How a conversation is cut for the receiver's model. The record crosses beside the words, for its runtime. */
type Forwarding = { title: string; words(conversation: readonly Item[]): Item[]; carriesRecord: boolean }

/** Six ways in which the words of one conversation are handed over; the last one adds the record of the runtime. */
export const FORWARDING = {
  full: {
    title: 'full transcript',
    words: (conversation) => [...conversation],
    carriesRecord: false,
  },
  'last-pair': {
    title: 'last pair',
    // What the last agent said with its transfer call, and the answer to that call.
    words: (conversation) => conversation.slice(conversation.findLastIndex(isAssistantMessage)),
    carriesRecord: false,
  },
  'no-tools': {
    title: 'tools removed',
    words: (conversation) => conversation.filter(({ type }) => type === 'message'),
    carriesRecord: false,
  },
  'brief-mention': {
    title: 'brief, mentions the call',
    words: () => [brief('I sent the reservation to the warehouse and had no answer within 8 s.')],
    carriesRecord: false,
  },
  'brief-silent': {
    title: 'brief, without the mention',
    words: () => [brief()],
    carriesRecord: false,
  },
  record: {
    title: 'runtime record',
    words: (conversation) => conversation.filter(({ role }) => role === 'user'),
    carriesRecord: true,
  },
} satisfies Record<string, Forwarding>

export type Style = keyof typeof FORWARDING

export const STYLES = Object.keys(FORWARDING) as Style[]

function isAssistantMessage({ type, role }: Item): boolean {
  return type === 'message' && role === 'assistant'
}

/** A brief as a model writes one for the next: in the role of the user. */
function brief(...more: string[]): Item {
  const context = [`The customer wants 40 of A-7 and the invoice only once they are reserved.`, ...more].join(
    ' ',
  )
  return { type: 'message', role: 'user', content: `Task: finish order ${ORDER}.\nContext: ${context}` }
}
