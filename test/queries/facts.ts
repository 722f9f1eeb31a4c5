/** One call that left its process, as the story made it. */
export type CallFact = {
  at: number
  write: boolean
  redundant: boolean
  /** How it makes an earlier effect again. */
  repeats?: 'key' | 'arguments' | undefined
  redone: boolean
  refused: boolean
  correction?: 'undone' | 'rejected' | 'repeated' | undefined
}

export type Degree = 'carried' | 'altered' | 'key in words' | 'described' | 'mentioned' | 'absent'

/** One attempt of a handoff, as the story made it: nothing here was worked out from events. */
export type Fact = {
  run: string
  handoff: string
  attempt: number
  sentAt: number
  receivedAt?: number | undefined
  from: string
  to: string
  mode: string
  framework?: string | undefined
  style?: string | undefined
  deliveries: number
  outcome: string
  late?: boolean | undefined
  itemsBefore: unknown[]
  items?: unknown[] | undefined
  largestType?: string | undefined
  recordFields: string[]
  recordBytes?: number | undefined
  instructions: boolean
  contract: string[]
  inDoubt: {
    degree: Degree
    hasKey: boolean
    settled?: string | undefined
    by?: string | undefined
    ms?: number | undefined
  }[]
  constraints: string[]
  approvals: boolean[]
  requestedAction?: string | undefined
  verdict?: string | undefined
  verdictAt?: number | undefined
  origin: string
  /** Permissions or tools of both sides are in the log. */
  permissionsKnown: boolean
  gained: number
  lost: number
  sensitive: number
  droppedResults: number
  dropped: Record<string, number>
  references: number
  used: number
  trace: string
  task: string
  hop?: number | undefined
  growth?: number | undefined
  lap: number
  twoActive: boolean
  input: string
  payload?: string | undefined
  calls: CallFact[]
}

/** What a story tells: the run log, and what is true of it. */
export type Told = { events: Record<string, unknown>[]; facts: Fact[]; completed: Map<string, boolean> }
