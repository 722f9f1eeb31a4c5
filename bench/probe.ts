import { analysePhases } from './analyse-probe.ts'
import { appendEvents, appendStore, insertEvents } from './appender-probe.ts'
import { checkRates } from './checks-probe.ts'
import { ingestAgain, ingestParts, ingestSpool } from './ingest-probe.ts'
import { decodeCosts, serveRates } from './otlp-probe.ts'
import { fillStore, keepStore, searchStore, timeMetrics } from './queries-probe.ts'
import { recordEvents } from './record-event-probe.ts'
import { writeRunLog, writeSpool } from './spool.ts'

// One measurement in a process of its own: `probe.js NAME JSON`; what it found goes back to the parent.

const PROBES: Record<string, (input: never) => unknown> = {
  decodeCosts,
  serveRates,
  recordEvents,
  ingestSpool,
  ingestParts,
  ingestAgain,
  appendEvents,
  appendStore,
  insertEvents,
  analysePhases,
  checkRates,
  writeSpool,
  writeRunLog,
  fillStore,
  timeMetrics,
  keepStore,
  searchStore,
}

const orphaned = () => process.exit(1)
process.once('disconnect', orphaned)
const [, , name, input] = process.argv
const value = await PROBES[name!]!(JSON.parse(input!) as never)
process.send!({ value, peak: process.resourceUsage().maxRSS * 1024 }, () => {
  process.off('disconnect', orphaned)
  process.disconnect()
})
