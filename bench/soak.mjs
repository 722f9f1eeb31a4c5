// Two senders at full speed to `handspan serve` over loopback, while the server is killed with SIGKILL and started again.
// Afterwards: every event that was written is acknowledged and stored, and stored once, counted by event id.
//
//   npx tsup --silent && node bench/soak.mjs [--seconds 120] [--kills 5] [--product FOLDER]
//
// Exits 1 if a figure is not what it must be.
import { fork, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { endWithParent, exitOnSignals, scratchFolder } from './scratch.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    kills: { type: 'string', default: '5' },
    product: { type: 'string', default: join(import.meta.dirname, '../dist') },
  },
})
const seconds = Number(values.seconds)
const kills = Number(values.kills)
const product = resolve(values.product)
const SENDERS = 2

const watched = endWithParent(product)
const folder = scratchFolder(tmpdir())
const directory = join(folder, 'server')
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const children = new Set()
// Before the folder goes, which was asked for first.
process.prependOnceListener('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
exitOnSignals()

let server = await startServer()
const began = Date.now()
const told = Array.from({ length: SENDERS }, (_, number) => startSender(number))
const downs = []
for (let kill = 1; kill <= kills; kill++) {
  await wait(Math.max(0, began + (seconds * 1000 * kill) / (kills + 1) - Date.now()))
  server.child.kill('SIGKILL')
  await server.ended
  const down = Date.now()
  await wait(Math.random() * 1000)
  server = await startServer()
  downs.push(Date.now() - down)
  process.stderr.write(`killed ${kill} of ${kills}, back after ${downs.at(-1)} ms\n`)
}
const senders = await Promise.all(told)
const sendingMs = Date.now() - began
const memory = peakMemory(server.child.pid)
const caughtUp = Date.now()
const stored = await storedEvents()
const ingestMs = Date.now() - caughtUp
server.child.kill('SIGTERM')
const code = await server.ended

const written = senders.reduce((sum, sender) => sum + sender.written, 0)
const sum = senders.reduce((total, sender) => total + BigInt(sender.sum), 0n)
const xor = senders.reduce((total, sender) => total ^ BigInt(sender.xor), 0n)
const inSpool = spooledLines()
const figures = {
  seconds,
  kills,
  'ms until the server was back': downs.join(', '),
  'events written': written,
  acknowledged: senders.reduce((total, sender) => total + sender.sent, 0),
  'dead letters': senders.reduce((total, sender) => total + sender.dead, 0),
  'requests sent again': senders.reduce((total, sender) => total + sender.retries, 0),
  stored: stored.events,
  'distinct ids stored': stored.ids,
  'lines in the spool of the server': inSpool,
  'of these delivered twice': inSpool - written,
  'events/s acknowledged': Math.round(written / (sendingMs / 1000)),
  's until the database had caught up': (ingestMs / 1000).toFixed(1),
  'peak memory of the last server, MB': memory,
}
for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(36)} ${value}\n`)

const wrong = Object.entries({
  'something was not acknowledged': senders.some(
    ({ sent, flushed, written: all }) => !flushed || sent !== all,
  ),
  'stored are other events than were written':
    stored.events !== written ||
    stored.ids !== written ||
    stored.sum !== sum.toString() ||
    stored.xor !== xor.toString(),
  'something was refused': stored.quarantined !== 0 || senders.some(({ dead }) => dead !== 0),
  'the server did not stop as it should': code !== 0,
}).filter(([, is]) => is)
for (const [what] of wrong) process.stdout.write(`WRONG: ${what}\n`)
process.exitCode = wrong.length === 0 ? 0 : 1

async function startServer() {
  const child = spawn(
    process.execPath,
    [...watched, join(product, 'handspan.js'), 'serve', '--dir', directory, '--port', String(port)],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  children.add(child)
  const ended = new Promise((done) => child.once('exit', (exit) => done(exit)))
  void ended.then(() => children.delete(child))
  await new Promise((done, fail) => {
    const lines = createInterface({ input: child.stderr })
    lines.on('line', (line) => {
      if (line.startsWith('listening')) done()
      else if (!line.startsWith('received') && !line.startsWith('stopped')) process.stderr.write(`${line}\n`)
    })
    void ended.then(() => fail(new Error('the server did not start')))
  })
  return { child, ended }
}

function startSender(number) {
  const child = fork(
    join(import.meta.dirname, 'soak-sender.mjs'),
    [join(folder, `sender-${number}`), url, String(seconds), join(product, 'send.js')],
    { execArgv: watched },
  )
  children.add(child)
  return new Promise((done, fail) => {
    child.once('message', done)
    child.once('exit', (exit) => {
      children.delete(child)
      if (exit !== 0) fail(new Error(`sender ${number} ended with ${exit}`))
    })
  })
}

/** Asked of the running server, which owns the database. The command reads what is new in the spool first. */
async function storedEvents() {
  const sql = `SELECT count(*) AS events, count(DISTINCT id) AS ids, sum(id::HUGEINT)::VARCHAR AS sum, bit_xor(id)::VARCHAR AS xor,
    (SELECT count(*) FROM quarantine) AS quarantined FROM base.events`
  const child = spawn(process.execPath, [
    ...watched,
    join(product, 'handspan.js'),
    ...['sql', '--dir', directory, '--json', '--timeout', '600', sql],
  ])
  children.add(child)
  child.once('exit', () => children.delete(child))
  child.stderr.pipe(process.stderr)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  await new Promise((done) => child.once('close', done))
  return JSON.parse(out).rows[0]
}

function spooledLines() {
  const spool = join(directory, 'spool')
  let lines = 0
  for (const name of readdirSync(spool)) {
    const bytes = readFileSync(join(spool, name))
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  }
  return lines
}

function peakMemory(pid) {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024)
  } catch {
    return '-'
  }
}

function freePort() {
  return new Promise((done) => {
    const taken = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = taken.address()
      taken.close(() => done(free))
    })
  })
}
