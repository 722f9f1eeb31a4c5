import type { Crossing } from './crossing.ts'

/** What the receiver of a handoff does, and what becomes of it. */
export function receiverWorks(crossing: Crossing): void {
  const { story, from, to, fact, doubts } = crossing
  const order = new Map(
    doubts.map((doubt) => [doubt, crossing.last ? story.pick(ORDERS) : story.pick(SETTLED)]),
  )
  const settleAll = (wanted: string) => {
    for (const doubt of doubts) {
      if (order.get(doubt) !== wanted) continue
      const by = story.pick(['key', 'closed', 'awaited'])
      const { op, tool, args, key } = doubt
      const state = by === 'closed' ? 'closed' : 'settled'
      const at = story.write('operation', {
        op,
        tool,
        args,
        key,
        effect: 'write',
        agent: from,
        state,
        result: {},
        by,
      })
      crossing.settle(doubt.fact, wanted, by, at)
    }
  }
  settleAll('before planning')
  for (const { tool, args, line } of crossing.reads) {
    if (!story.chance(0.3)) continue
    const call = story.call(to, { op: story.id('op'), tool, args }, { state: 'settled', result: line })
    Object.assign(call, { redundant: true, redone: true })
  }
  story.write('message', { id: story.id('m'), role: 'assistant', agent: to, content: 'On it.' })
  settleAll('after planning')
  for (const doubt of doubts) {
    if (order.get(doubt) === 'not settled') crossing.settle(doubt.fact, 'not settled', undefined, undefined)
  }
  for (const ref of crossing.references) {
    if (!story.chance(0.5)) continue
    crossing.read(to, 'find_part', { ref })
    fact.used++
  }
  ownWrites(crossing)
  repeatOfTheSender(crossing)
  if (fact.mode === 'transfer' && !story.helpers.has(from) && story.chance(0.15)) {
    story.write('message', {
      id: story.id('m'),
      role: 'assistant',
      agent: from,
      content: 'One more thing from me.',
    })
    fact.twoActive = true
  }
}

const SETTLED = ['before planning', 'after planning']
const ORDERS = [...SETTLED, 'not settled']

function ownWrites(crossing: Crossing): void {
  const { story, to } = crossing
  const args = { part: story.id('p') }
  const kind = story.pick(['none', 'plain', 'undone', 'rejected', 'repeated'])
  if (kind === 'none') return
  if (kind === 'rejected') {
    const [op, approval] = [
      story.id('op'),
      { id: story.id('a'), action: 'reserve_stock', scope: args, agent: to },
    ]
    story.write('approval', { ...approval, for: op, state: 'rejected', by: 'lena' })
    const write = {
      op,
      tool: 'reserve_stock',
      args,
      key: story.id('k'),
      effect: 'write',
      approval: approval.id,
    }
    const call = story.call(to, write, { state: 'failed', error: 'not allowed' })
    Object.assign(call, { correction: 'rejected', refused: true })
    return
  }
  const first = crossing.settledWrite(to, 'reserve_stock', args)
  if (kind === 'undone') {
    crossing.settledWrite(to, 'cancel_reservation', { reference: first.args.reference })
    first.call.correction = 'undone'
  }
  if (kind === 'repeated') {
    crossing.settledWrite(to, 'reserve_stock', args).call.repeats = 'arguments'
    first.call.correction = 'repeated'
  }
}

/** The receiver makes the sender's write again, under its key or under another one. */
function repeatOfTheSender(crossing: Crossing): void {
  const { done, story, to } = crossing
  if (done === undefined || !story.chance(0.4)) return
  const { reference: _, ...args } = done.args
  const shared = story.chance(0.5)
  const again = crossing.settledWrite(to, done.tool, args, shared ? done.key : undefined)
  Object.assign(again.call, shared ? { repeats: 'key' } : { repeats: 'arguments', redone: true })
  if (!shared) done.call.correction = 'repeated'
}
