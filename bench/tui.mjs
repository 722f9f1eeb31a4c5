// node bench/tui.mjs: after a build, drives the real terminal UI in a pseudo-terminal and prints how long a person waits:
// the first frame, the list of 100,000 runs, a key to its frame, the memory that it takes and how much 1,000 more keys add.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { spawn } from '@lydell/node-pty'
import { openStore } from '../dist/store.js'
import { exitOnSignals, scratchFolder } from './scratch.mjs'

const binary = fileURLToPath(new URL('../dist/handspan.js', import.meta.url))
const scratch = scratchFolder(tmpdir())
// The terminal UI ends by itself when its terminal goes.
exitOnSignals()

/** Every frame ends with this. */
const FRAME = '\u001b[?2026l'
const KEYS = 60
const MORE_KEYS = 1000

/** Milliseconds of processor time that a process has used: what a key costs, however busy the machine is. */
function processorTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  // Ticks of a hundredth of a second on every Linux that Node runs on.
  return (Number(user) + Number(system)) * 10
}

/** Megabytes that a process holds. */
function residentMemory(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

async function fillRuns(runs) {
  const directory = join(scratch, `runs-${runs}`)
  await (await openStore(directory, { create: true })).close()
  const instance = await DuckDBInstance.create(join(directory, 'handspan.duckdb'))
  const connection = await instance.connect()
  await connection.run(`INSERT INTO base.runs BY NAME SELECT 'run-' || i AS run,
    TIMESTAMP '2031-01-01' + INTERVAL 310 SECOND * i AS started_at, started_at AS ended_at, started_at AS last_at,
    true AS ended, 'done' AS outcome, ['orders', 'billing'] AS agents, 500 AS events, 10 AS handoffs, 40 AS operations,
    i % 3 AS in_doubt, 3 AS findings, 1 AS errors, 2 AS warnings, 'error' AS worst FROM range(${runs}) AS numbers(i)`)
  connection.closeSync()
  instance.closeSync()
  return ['--dir', directory]
}

function writeRun(events, payloadBytes) {
  const file = join(scratch, `events-${events}-${payloadBytes}.jsonl`)
  const big = 'The order waits for stock. '.repeat(Math.ceil(payloadBytes / 27))
  const items = [{ type: 'message', role: 'user', content: big }]
  const lines = Array.from({ length: events }, (_, index) => {
    const base = { run: 'r', seq: index + 1, at: new Date(1.9e12 + index * 1000).toISOString() }
    const op = `op-${Math.floor(index / 2)}`
    const state = index % 2 === 0 ? 'sent' : 'settled'
    if (index === 10)
      return {
        ...base,
        kind: 'handoff.sent',
        handoff: 'h-1',
        from: 'orders',
        to: 'billing',
        items_before: items,
      }
    if (index === 11) return { ...base, kind: 'handoff.received', handoff: 'h-1', by: 'billing', items }
    return {
      ...base,
      kind: 'operation',
      agent: index < 10 ? 'orders' : 'billing',
      op,
      tool: 'reserve_stock',
      effect: 'write',
      key: op,
      args: { count: index },
      state,
    }
  })
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return [file]
}

/** Milliseconds until the first frame and until what is waited for, from key to the end of its frame, and memory in MB. */
async function measure(args, { columns, rows, ready, before = [], keys }) {
  let raw = ''
  const begun = performance.now()
  const env = { ...process.env, CI: 'false', TERM: 'xterm-256color' }
  const child = spawn(process.execPath, [binary, 'tui', ...args], { cols: columns, rows, env })
  let first
  let firstCpu
  let wake = () => {}
  child.onData((data) => {
    raw += data
    if (first === undefined && raw.includes('opening')) {
      first = performance.now() - begun
      firstCpu = processorTime(child.pid)
    }
    wake()
  })
  const until = async (test) => {
    while (!test()) await new Promise((done) => (wake = done))
  }
  await until(() => ready.test(raw))
  const listed = performance.now() - begun
  await pause(1500)
  for (const key of before) {
    child.write(key)
    await pause(1500)
  }
  const times = []
  const spent = processorTime(child.pid)
  for (let index = 0; index < KEYS; index++) {
    const from = raw.length
    const pressed = performance.now()
    child.write(keys[index % keys.length])
    await until(() => raw.indexOf(FRAME, from) >= 0)
    times.push(performance.now() - pressed)
    // Longer than the shortest time between two frames, so that every key is painted at once.
    await pause(40)
  }
  const cpu = (processorTime(child.pid) - spent) / KEYS
  const memory = residentMemory(child.pid)
  for (let index = 0; index < MORE_KEYS; index++) {
    child.write(keys[index % keys.length])
    await pause(4)
  }
  await pause(1500)
  const grown = residentMemory(child.pid) - memory
  child.write('q')
  await new Promise((done) => child.onExit(done))
  times.sort((a, b) => a - b)
  return {
    first,
    firstCpu,
    listed,
    cpu,
    p50: times[KEYS / 2],
    p95: times[Math.floor(KEYS * 0.95)],
    memory,
    grown,
  }
}

const runs = [await fillRuns(1000), await fillRuns(100_000)]
const cases = [
  ['1,000 runs, 80x24', runs[0], { columns: 80, rows: 24, ready: /of 1,000/, keys: ['j', 'j', 'k'] }],
  ['100,000 runs, 80x24', runs[1], { columns: 80, rows: 24, ready: /of 100,000/, keys: ['j', 'j', 'k'] }],
  ['100,000 runs, 200x60', runs[1], { columns: 200, rows: 60, ready: /of 100,000/, keys: ['j', 'j', 'k'] }],
  [
    'run of 1,000 events, 80x24',
    writeRun(1000, 100),
    { columns: 80, rows: 24, ready: /step 1 of/, keys: ['j', 'G', 'g', 'e'] },
  ],
  [
    'run of 10,000 events, 80x24',
    writeRun(10_000, 100),
    { columns: 80, rows: 24, ready: /step 1 of/, keys: ['j', 'G', 'g', 'e'] },
  ],
  [
    'run of 10,000 events, 200x60',
    writeRun(10_000, 100),
    { columns: 200, rows: 60, ready: /step 1 of/, keys: ['j', 'G', 'g', 'e'] },
  ],
  [
    'payload of 5 MB, diff, 80x24',
    writeRun(100, 5e6),
    { columns: 80, rows: 24, ready: /step 1 of/, before: ['3'], keys: ['\t'] },
  ],
  [
    'payload of 5 MB, viewer, 80x24',
    writeRun(100, 5e6),
    { columns: 80, rows: 24, ready: /step 1 of/, before: ['}', 'v'], keys: ['j', 'k', '-'] },
  ],
]
const ms = (value) => `${Math.round(value)} ms`
process.stdout.write(
  `Node ${process.version}, ${cpus().length} CPUs, load ${loadavg()[0].toFixed(1)} at the start\n`,
)
process.stdout.write(
  '| what | first frame | of it processor | content | key to frame p50 | p95 | processor a key | memory | after 1,000 more keys |\n|---|---|---|---|---|---|---|---|---|\n',
)
for (const [what, args, options] of cases) {
  const { first, firstCpu, listed, cpu, p50, p95, memory, grown } = await measure(args, options)
  const cells = [
    what,
    ms(first),
    ms(firstCpu),
    ms(listed),
    `${p50.toFixed(1)} ms`,
    `${p95.toFixed(1)} ms`,
    `${cpu.toFixed(1)} ms`,
    `${Math.round(memory)} MB`,
    `${grown < 0 ? '' : '+'}${Math.round(grown)} MB`,
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
process.exit()
