/** What a server has done since it started. */
export type Counters = {
  requests: { traces: number; logs: number }
  /** Written to the spool and acknowledged. */
  spans: number
  events: number
  /** Records of requests that were taken otherwise: told to the sender as a partial success. */
  rejected: number
  /** Answers other than 200, by status. */
  refused: Record<string, number>
  /** Bytes of bodies as they came over the wire. */
  receivedBytes: number
  /** Senders that went away before their request was complete. */
  abandoned: number
}

export function newCounters(): Counters {
  return {
    requests: { traces: 0, logs: 0 },
    spans: 0,
    events: 0,
    rejected: 0,
    refused: {},
    receivedBytes: 0,
    abandoned: 0,
  }
}
