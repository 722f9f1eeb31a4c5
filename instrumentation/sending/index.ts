// Sending captures to a server, from inside an agent.

export type { SendCounters } from './delivery.ts'
export type { SentContent } from './outgoing-line.ts'
export { type Sending, type SendOptions, sendCaptures } from './send-captures.ts'
