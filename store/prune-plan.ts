/** A run as pruning sees it. Times in milliseconds since 1970, sizes in bytes of its events' lines. */
export type PrunableRun = {
  run: string
  lastAt: number | null
  events: number
  handoffs: number
  bytes: number
  /** Writes whose outcome is unknown at the end of its log. */
  inDoubt: number
  /** True if it was not judged since its last events came: then nobody knows how many are in doubt. */
  unjudged: boolean
  /** Spool segments that hold its events. */
  segments: readonly string[]
}

/** What is to go. Without either bound nothing does. */
export type PruneBounds = {
  /** Runs whose latest event is older than this time. */
  before?: number | undefined
  /** Bytes that database and spool together may have afterwards. */
  maxBytes?: number | undefined
  /** Runs with a write in doubt may go too, and those of which that is not known yet. */
  inDoubt: boolean
}

/**
 * Sizes now. `emptyBytes`: those of a database that holds no run any more. `segments`: bytes of those that could be
 * removed, had they no events left.
 */
export type StoreSizes = {
  databaseBytes: number
  emptyBytes: number
  spoolBytes: number
  segments: ReadonlyMap<string, number>
}

/** `spared`: runs that would go if they had no write in doubt, or were judged to have none. `predictedBytes`: size afterwards. */
export type PrunePlan = { runs: PrunableRun[]; spared: PrunableRun[]; predictedBytes: number }

/**
 * Chooses whole runs, oldest first. By size it takes as few as it can: what the database holds beyond an empty one is taken
 * to shrink in proportion to the lines that go, the spool by the segments that hold nothing else. Runs without any time go last, and never by age.
 */
export function planPrune(runs: readonly PrunableRun[], sizes: StoreSizes, bounds: PruneBounds): PrunePlan {
  const oldestFirst = [...runs].sort(
    (a, b) => (a.lastAt ?? Infinity) - (b.lastAt ?? Infinity) || (a.run < b.run ? -1 : 1),
  )
  const left = segmentUses(runs)
  const total = runs.reduce((sum, { bytes }) => sum + bytes, 0)
  const plan: PrunePlan = { runs: [], spared: [], predictedBytes: sizes.databaseBytes + sizes.spoolBytes }
  let stays = total
  let goneSpool = 0
  // Whole bytes, as they are reported: a run goes only if what is reported without it would be too much.
  const predicted = () => Math.round(databaseWith(stays / total)) + sizes.spoolBytes - goneSpool
  // Where nothing goes, the file stays as it is, also one that DuckDB has not grown to the size of an empty one yet.
  const databaseWith = (share: number) =>
    plan.runs.length === 0
      ? sizes.databaseBytes
      : sizes.emptyBytes + Math.max(sizes.databaseBytes - sizes.emptyBytes, 0) * share
  for (const one of oldestFirst) {
    const tooOld = bounds.before !== undefined && one.lastAt !== null && one.lastAt < bounds.before
    const tooMuch = bounds.maxBytes !== undefined && predicted() > bounds.maxBytes
    if (!tooOld && !tooMuch) continue
    if ((one.inDoubt > 0 || one.unjudged) && !bounds.inDoubt) {
      plan.spared.push(one)
      continue
    }
    plan.runs.push(one)
    stays -= one.bytes
    for (const name of one.segments) {
      const uses = left.get(name)! - 1
      left.set(name, uses)
      if (uses === 0) goneSpool += sizes.segments.get(name) ?? 0
    }
  }
  plan.predictedBytes = predicted()
  return plan
}

/** How many runs have events in each segment. */
function segmentUses(runs: readonly PrunableRun[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const name of runs.flatMap(({ segments }) => segments)) uses.set(name, (uses.get(name) ?? 0) + 1)
  return uses
}
