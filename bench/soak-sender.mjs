// soak-sender.js DIRECTORY URL SECONDS SEND: an agent at full speed. Writes run-log events into a spool of its own for so
// long, with the real sender behind it (SEND is the built entry), then waits until everything is acknowledged. Tells its
// parent how many events there were, and two sums over their ids.
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const [, , directory, url, seconds, send] = process.argv
const { sendCaptures } = await import(send)

const EVENTS_A_RUN = 50
const EVENTS_A_WRITE = 100
const SEGMENT_EVENTS = 20_000
// So much may wait to be sent: more would measure the disk and not the way to the server.
const BACKLOG_BYTES = 8 * 1024 * 1024
const ROUND_MILLISECONDS = 2 ** 31 - 1

const spool = join(directory, 'spool')
mkdirSync(spool, { recursive: true })
const writer = `soak-${process.pid}-${Date.now().toString(36)}`
const sending = sendCaptures({ directory, url, content: 'full' })

let seq = 0
let xor = 0n
let sum = 0n
let file
const end = Date.now() + Number(seconds) * 1000
while (Date.now() < end) {
  let lines = ''
  for (let count = 0; count < EVENTS_A_WRITE; count++) {
    if (seq % SEGMENT_EVENTS === 0) {
      if (file !== undefined) closeSync(file)
      file = openSync(join(spool, `${writer}-${1 + seq / SEGMENT_EVENTS}.jsonl`), 'ax')
    }
    const line = eventLine(++seq)
    const id = createHash('sha256').update(line).digest().readBigUInt64BE(0)
    xor ^= id
    sum += id
    lines += `${line}\n`
    if (seq % SEGMENT_EVENTS === 0) {
      writeSync(file, lines)
      lines = ''
    }
  }
  if (lines !== '') writeSync(file, lines)
  // Lets the sender work; it tells what is pending only after a look at the spool.
  do await wait(sending.counters().pending > BACKLOG_BYTES ? 5 : 0)
  while (sending.counters().pending > BACKLOG_BYTES && Date.now() < end)
}
const stopped = Date.now()
const flushed = await sending.flush(ROUND_MILLISECONDS)
const { sent, dead, retries, bytes } = sending.counters()
await sending.stop()
process.send({
  written: seq,
  sent,
  dead,
  retries,
  bytes,
  flushed,
  drainMs: Date.now() - stopped,
  xor: xor.toString(),
  sum: sum.toString(),
})
process.disconnect()

function eventLine(number) {
  const place = number % EVENTS_A_RUN
  const run = `soak-${writer}-${Math.floor(number / EVENTS_A_RUN)}`
  const common = { v: 1, run, seq: number, at: new Date().toISOString(), writer }
  if (place === 1) return JSON.stringify({ ...common, kind: 'run.start', agents: [{ name: 'orders' }] })
  const op = `op-${Math.floor(place / 2)}`
  const state = place % 2 === 0 ? 'sent' : 'settled'
  return JSON.stringify({
    ...common,
    kind: 'operation',
    agent: 'orders',
    op,
    tool: 'reserve_stock',
    args: { sku: `A-${number}`, count: 40, note: 'forty of them, before the invoice, to the north gate' },
    effect: 'write',
    state,
    key: `${run}:${op}`,
  })
}
