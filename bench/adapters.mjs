// What the adapters cost: a run of 20 tool calls and 3 handoffs with and without handspan, on the real frameworks with models
// that answer at once. Real models take seconds, so the ratio is the worst there is; the milliseconds added are what stays.
// `npm run build && node bench/adapters.mjs [rounds]`; captures go to a folder that is removed.
import { tmpdir } from 'node:os'
import { start } from 'handspan'
import { aiSDK, langgraph, openaiAgents } from './adapter-frameworks.mjs'
import { a2a, mcp } from './adapter-protocols.mjs'
import { exitOnSignals, scratchFolder } from './scratch.mjs'

const ROUNDS = Number(process.argv[2] ?? 15)

async function measured(act, observed) {
  const from = performance.now()
  await act(observed)
  return performance.now() - from
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

const directory = scratchFolder(tmpdir())
exitOnSignals()
const handspan = start({ directory })
console.log(`20 tool calls, 3 handoffs, median of ${ROUNDS} rounds, taking turns\n`)
console.log('| framework | without | with | added | ratio |')
console.log('|---|--:|--:|--:|--:|')
for (const act of [openaiAgents, langgraph, aiSDK, a2a, mcp]) {
  const times = { plain: [], observed: [] }
  await act(false)
  await act(true)
  for (let round = 0; round < ROUNDS; round++) {
    times.plain.push(await measured(act, false))
    times.observed.push(await measured(act, true))
  }
  const [plain, observed] = [median(times.plain), median(times.observed)]
  const ms = (value) => `${value.toFixed(1)} ms`
  console.log(
    `| ${act.name} | ${ms(plain)} | ${ms(observed)} | ${ms(observed - plain)} | ${(observed / plain).toFixed(2)} |`,
  )
}
await handspan.shutdown()
const { written, bytes, errors, dropped } = handspan.counters()
console.log(`\n${written} events, ${(bytes / 1e6).toFixed(1)} MB, ${errors} errors, ${dropped} lost`)
