// The sender after its restart. Its operations log died with the process, so the record that it builds is empty.
import { start } from '../../dist/index.js'

const [, , runId] = process.argv
const handspan = start({ service: 'orders' })
const run = handspan.startRun({ id: runId })
const items = [{ role: 'user', content: 'Set 40 of A-7 aside and bill order 4711.' }]
const handoff = run.handoff({
  from: 'orders',
  to: 'orders',
  mode: 'resume',
  reason: 'restart after a crash',
  items,
})
const received = handspan.receive(handoff.carrier, { by: 'orders', items, record: handoff.record })
received.accept()
run.end('resumed')
await handspan.shutdown()
