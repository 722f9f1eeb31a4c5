import { type Handover, handOver } from '../handing-over.ts'
import { briefItem, giveBack } from '../scenes-of-handoffs.ts'
import type { Fields, Stage } from '../stage.ts'
import { type Fault, faultsOf } from './fault.ts'

/** Sends a task that the receiving side never shows. */
function send(stage: Stage, fields: Fields = {}): Fields {
  const handoff = stage.next('h')
  const to = stage.other()
  const brief = `See to ${stage.next('topic-')}.`
  const sent = { handoff, mode: 'delegate', from: stage.owner, to, reason: brief, brief, ...fields }
  stage.write('handoff.sent', { ...sent, items_before: stage.items(stage.history) })
  return sent
}

function take(stage: Stage, alter: Handover['alter'], more: Fields = {}): string {
  return handOver(stage, { mode: 'transfer', to: stage.other(), alter, more })
}

function help(
  stage: Stage,
  more: Fields = {},
  handover: Partial<Handover> = {},
): { caller: string; handoff: string } {
  const caller = stage.owner
  const brief = `Look into ${stage.next('topic-')}.`
  const items = [briefItem(stage, brief)]
  const handoff = handOver(stage, {
    mode: 'delegate',
    to: stage.other(),
    items,
    more: { brief, ...more },
    ...handover,
  })
  return { caller, handoff }
}

const end = (stage: Stage) => stage.write('run.end', {})

/** A reviewer says no, and the caller does it all the same. */
function ignored(stage: Stage, verdict: string, byReturn: boolean): void {
  stage.settle()
  const call = stage.newCall(true)
  stage.operation(call, 'proposed')
  const history = stage.history
  const { caller, handoff } = help(stage, { requested_action: 'approve' })
  if (!byReturn) stage.write('handoff.verdict', { handoff, by: stage.owner, verdict })
  const alter: Handover['alter'] = byReturn ? ({ sent }) => Object.assign(sent, { verdict }) : undefined
  handOver(stage, { mode: 'return', to: caller, items: history, alter })
  stage.operation(call, 'sent')
  stage.answer(call)
}

function review(stage: Stage, action: string): void {
  help(stage, { requested_action: action })
  stage.say('assistant', `I have read ${stage.next('p')}.`)
  end(stage)
}

export const custody: Fault[] = [
  ...faultsOf('handoff-dropped', {
    'nobody receives it': {
      last: true,
      play: (stage) => {
        send(stage)
        end(stage)
      },
    },
    'it fails and nobody goes on': {
      last: true,
      play: (stage) => {
        const { handoff } = send(stage, { mode: 'transfer' })
        stage.write('handoff.failed', { handoff, outcome: 'refused', error: 'no such agent' })
        end(stage)
      },
    },
    'overdue while the run goes on': (stage) => {
      send(stage, { ack_due: stage.now(1000) })
      stage.wait(600_000)
    },
  }),
  ...faultsOf('received-without-sent', {
    'a task out of nowhere': (stage) => {
      const by = stage.owner
      stage.write('handoff.received', { handoff: stage.next('x'), by, items: stage.items(stage.history) })
    },
  }),
  ...faultsOf('delivered-twice', {
    'to the same agent': (stage) => {
      let again: Fields = {}
      take(stage, ({ received }) => {
        again = received
      })
      stage.write('handoff.received', structuredClone(again))
    },
    'to two processes': (stage) => {
      let again: Fields = {}
      help(stage, {}, { alter: ({ received }) => (again = Object.assign(received, { process: 'p1' })) })
      stage.write('handoff.received', { ...structuredClone(again), process: 'p2' })
    },
  }),
  ...faultsOf('ack-late', {
    'accepted after it was due': (stage) => {
      const handoff = handOver(stage, {
        mode: 'transfer',
        to: stage.other(),
        more: { ack_due: '30s' },
        accepted: false,
      })
      stage.wait(900_000)
      stage.write('handoff.accepted', { handoff, by: stage.owner })
    },
    'never accepted, and worked on': (stage) => {
      handOver(stage, { mode: 'transfer', to: stage.other(), more: { ack_due: 'PT1M' }, accepted: false })
      stage.wait(900_000)
      stage.perform(stage.newCall(false))
    },
  }),
  ...faultsOf('wrong-target', {
    'a colleague gets it': (stage) => {
      const to = stage.other()
      const got = stage.other(to)
      handOver(stage, { mode: 'transfer', to: got, alter: ({ sent }) => Object.assign(sent, { to }) })
    },
    'a helper that was not asked': (stage) => {
      const asked = stage.other()
      help(stage, {}, { to: stage.other(asked), alter: ({ sent }) => Object.assign(sent, { to: asked }) })
    },
  }),
  ...faultsOf('two-active', {
    'the old agent writes on': (stage) => {
      const old = stage.owner
      take(stage, undefined)
      const call = stage.newCall(true, { agent: old })
      stage.operation(call, 'settled', { result: 'saved' })
    },
    'the old agent speaks on': (stage) => {
      const old = stage.owner
      take(stage, undefined)
      for (const part of ['a', 'b']) {
        const content = `Let me note ${part} of ${stage.next('x')} again.`
        stage.write('message', { agent: old, role: 'assistant', content }, old)
      }
    },
    'two helpers make one write': (stage) => {
      stage.settle()
      const caller = stage.owner
      const history = stage.history
      const brief = `Pay ${stage.next('x')}.`
      const args = { pay: stage.next('x') }
      const first = stage.other()
      for (const to of [first, stage.other(first)]) {
        stage.owner = caller
        stage.history = history
        handOver(stage, {
          mode: 'delegate',
          to,
          reason: 'pay',
          items: [briefItem(stage, brief)],
          more: { brief },
        })
        stage.operation(stage.newCall(true, { tool: 'refund', args }), 'settled', { result: 'paid' })
      }
    },
  }),
  ...faultsOf('handoff-cycle', {
    'to and fro with nothing new': (stage) => {
      stage.settle()
      const [a, b] = [stage.owner, stage.other()]
      for (let lap = 0; lap < 4; lap++) {
        handOver(stage, { mode: 'transfer', to: b, reason: 'not mine' })
        handOver(stage, { mode: 'transfer', to: a, reason: 'nor mine' })
      }
    },
    'the same brief, three times': (stage) => {
      stage.settle()
      const brief = `Sum up ${stage.next('topic-')}.`
      const caller = stage.owner
      const history = stage.history
      const to = stage.other()
      for (let lap = 0; lap < 3; lap++) {
        handOver(stage, {
          mode: 'delegate',
          to,
          reason: 'sum up',
          items: [briefItem(stage, brief)],
          more: { brief },
        })
        giveBack(stage, caller, history, brief)
        stage.history = history
      }
    },
  }),
  ...faultsOf('result-not-delivered', {
    'the answer is not in the return': {
      style: { record: false },
      play: (stage) => {
        const history = stage.history
        const { caller } = help(stage)
        stage.say('assistant', `The answer is ${stage.next('x')}, as it was last year.`)
        handOver(stage, { mode: 'return', to: caller, items: history })
      },
    },
    'an empty message in its place': {
      style: { record: false },
      play: (stage) => {
        const history = stage.history
        const { caller } = help(stage)
        stage.say('assistant', `The answer is ${stage.next('x')}, as it was last year.`)
        const empty = { id: stage.next('m'), type: 'message', role: 'assistant', content: '' }
        handOver(stage, { mode: 'return', to: caller, items: [...history, empty] })
      },
    },
  }),
  ...faultsOf('duplicate-write', {
    'by caller and helper': (stage) => {
      const content = `the user wants seat ${stage.next('x')}`
      stage.write('store.write', { agent: stage.owner, store: 'memory', content })
      stage.write('store.write', { agent: stage.other(), store: 'memory', content })
    },
    'one item, under ids of their own': (stage) => {
      const item = { role: 'user', content: `seat ${stage.next('x')}, please` }
      stage.write('store.write', { by: 'runner', thread: 't1', item: { ...item, id: stage.next('m') } })
      stage.write('store.write', { by: 'gateway', thread: 't1', item: { ...item, id: stage.next('m') } })
    },
  }),
  ...faultsOf('view-diverged', {
    'two snapshots': (stage) => {
      stage.write('snapshot', { view: 'stream', items: ['u1', 'a1'] })
      stage.write('snapshot', { view: 'session', items: ['u1'] })
    },
    'two ends of one task': (stage) => {
      const task = stage.next('t')
      stage.write('task.state', { task, view: 'server', state: 'completed' })
      stage.write('task.state', { task, view: 'client', state: 'failed' })
    },
    'a store that failed': (stage) => {
      stage.write('store.failed', { agent: stage.owner, store: stage.next('s'), error: 'disk full' })
      stage.say('assistant', `Noted, ${stage.next('x')}.`)
    },
  }),
  ...faultsOf('dead-letter-incomplete', {
    'no reason': (stage) => {
      const { handoff } = send(stage)
      stage.write('handoff.dead_lettered', { handoff, attempts: 5, last_status: 503 })
    },
    'no attempts and no status': (stage) => {
      const { handoff } = send(stage)
      stage.write('handoff.dead_lettered', { handoff, reason: 'queue full' })
    },
  }),
  ...faultsOf('declined-without-owner', {
    'declined, and the run ends': {
      last: true,
      play: (stage) => {
        const { handoff, to } = send(stage, { mode: 'transfer' })
        stage.write('handoff.declined', { handoff, by: to, reason: 'not mine' })
        end(stage)
      },
    },
    'received, declined, and the run ends': {
      last: true,
      play: (stage) => {
        const handoff = handOver(stage, { mode: 'transfer', to: stage.other(), accepted: false })
        stage.write('handoff.declined', { handoff, by: stage.owner, reason: 'not mine' })
        end(stage)
      },
    },
  }),
  ...faultsOf('verdict-missing', {
    'a review without a word': { last: true, play: (stage) => review(stage, 'review') },
    'an approval without a word': { last: true, play: (stage) => review(stage, 'approve') },
  }),
  ...faultsOf('verdict-ignored', {
    'after block': (stage) => ignored(stage, 'block', false),
    'after request_changes': (stage) => ignored(stage, 'request_changes', false),
    'after a no in the return': (stage) => ignored(stage, 'block', true),
  }),
]
