import { type Handover, handOver } from '../handing-over.ts'
import { briefItem, giveBack } from '../scenes-of-handoffs.ts'
import type { Call, Fields, Stage } from '../stage.ts'
import { type Fault, faultsOf, RECORD } from './fault.ts'

type Entry = Record<string, unknown>

/** A write whose answer never came. */
function lost(stage: Stage, fields: Partial<Call> = {}): Call {
  stage.settle()
  const call = stage.newCall(true, fields)
  stage.callItem(call)
  stage.operation(call, 'sent')
  stage.operation(call, 'unknown')
  stage.resultItem(call, 'error: no reply')
  stage.open.push(call)
  return call
}

function entriesOf(side: Fields, list: string): Entry[] {
  return (side.record as Record<string, Entry[]>)[list]!
}

function without(stage: Stage, mode: string, alter: Handover['alter']): void {
  lost(stage)
  const brief = `Go on with ${stage.next('topic-')}.`
  const helper = mode === 'delegate' ? { items: [briefItem(stage, brief)], more: { brief } } : {}
  const to = mode === 'resume' ? stage.owner : stage.other()
  handOver(stage, { mode, to, alter, ...helper })
}

/** The receiver's entry of the open operation, changed. */
function altered(stage: Stage, change: Entry): void {
  lost(stage)
  handOver(stage, {
    mode: 'transfer',
    to: stage.other(),
    alter: ({ received }) => Object.assign(entriesOf(received, 'open_operations').at(-1)!, change),
  })
}

function repeat(stage: Stage, first: Call, fields: Partial<Call> = {}): void {
  const again = stage.newCall(true, { tool: first.tool, args: first.args, agent: stage.owner, ...fields })
  stage.perform(again)
}

const drop =
  (list: string): Handover['alter'] =>
  ({ received }) => {
    ;(received.record as Fields)[list] = []
  }

/** A write that was settled, handed over without its result and without a word that it is done. */
function resultless(stage: Stage, mode: string): void {
  stage.settle()
  const { op } = stage.perform(stage.newCall(true))
  const items = stage.history.filter((item) => item.op !== op)
  handOver(stage, {
    mode,
    to: mode === 'resume' ? stage.owner : stage.other(),
    items,
    alter: ({ sent, received }) => {
      for (const { record } of [sent, received] as { record: Fields }[]) {
        record.status = { done: [], pending: [] }
        record.evidence = (record.evidence as Entry[]).filter(({ ref }) => ref !== op)
      }
      const kept = entriesOf(received, 'completed_effects').filter((entry) => entry.op !== op)
      Object.assign(received.record as Fields, { completed_effects: kept })
    },
  })
}

function delegated(stage: Stage, brief: string, returns: boolean): void {
  const caller = stage.owner
  const history = stage.history
  const to = stage.agents.find((agent) => agent !== caller)!
  const reason = 'research'
  handOver(stage, { mode: 'delegate', to, reason, items: [briefItem(stage, brief)], more: { brief } })
  if (returns) giveBack(stage, caller, history, brief)
  else {
    stage.owner = caller
    stage.history = history
  }
}

export const unsettledWork: Fault[] = [
  ...faultsOf('op-in-doubt-key-missing', {
    'the record of a transfer leaves it out': {
      style: RECORD,
      play: (stage) => without(stage, 'transfer', drop('open_operations')),
    },
    'a helper gets a brief and no record': {
      style: RECORD,
      play: (stage) => without(stage, 'delegate', ({ received }) => delete received.record),
    },
    'a resume restores the words only': {
      style: RECORD,
      play: (stage) => without(stage, 'resume', ({ received }) => delete received.record),
    },
    'the entry crosses without its key': {
      style: RECORD,
      play: (stage) =>
        without(
          stage,
          'escalate',
          ({ received }) => delete entriesOf(received, 'open_operations').at(-1)!.key,
        ),
    },
    'a repeat without the key': (stage) => {
      const first = lost(stage)
      const { key: _, ...again } = stage.newCall(true, { tool: first.tool, args: first.args })
      stage.perform(again)
    },
  }),
  ...faultsOf('op-state-changed', {
    'unknown crosses as failed': { style: RECORD, play: (stage) => altered(stage, { state: 'failed' }) },
    'unknown crosses as settled': { style: RECORD, play: (stage) => altered(stage, { state: 'completed' }) },
    'a time-out is filed as failed': (stage) => {
      const call = lost(stage)
      stage.open = []
      stage.operation(call, 'failed', { error: 'timed out after 30 s' })
    },
    'failed becomes settled': (stage) => {
      stage.settle()
      const call = stage.newCall(true)
      stage.operation(call, 'sent')
      stage.operation(call, 'failed', { error: 'refused' })
      stage.operation(call, 'settled', { result: 'done' })
    },
    'a task that could not start is reported as done': (stage) => {
      const task = stage.next('t')
      stage.write('task.state', { task, state: 'failed', agent: stage.other() })
      stage.write('task.state', { task, state: 'completed', agent: stage.owner })
    },
  }),
  ...faultsOf('op-altered', {
    'other arguments': {
      style: RECORD,
      play: (stage) => altered(stage, { args: { ref: 'REF-X', count: 1000 } }),
    },
    'another tool': { style: RECORD, play: (stage) => altered(stage, { tool: 'delete_everything' }) },
  }),
  ...faultsOf('op-result-missing', {
    'neither item nor entry of a write': { style: RECORD, play: (stage) => resultless(stage, 'transfer') },
    'a resume that forgets a write': { style: RECORD, play: (stage) => resultless(stage, 'resume') },
    'the history without the result': {
      style: { record: false },
      play: (stage) => {
        const call = stage.perform(stage.newCall(false))
        const items = stage.history.filter(({ type, op }) => !(type === 'tool_result' && op === call.op))
        handOver(stage, { mode: 'transfer', to: stage.other(), items })
      },
    },
  }),
  ...faultsOf('not-settled-before-planning', {
    'it speaks first': {
      style: RECORD,
      play: (stage) => {
        lost(stage)
        handOver(stage, { mode: 'transfer', to: stage.other(), settles: false })
        stage.say('assistant', `Let us plan ${stage.next('p')}.`)
        stage.settle()
      },
    },
    'it writes first': {
      style: RECORD,
      play: (stage) => {
        lost(stage)
        handOver(stage, { mode: 'resume', to: stage.owner, settles: false })
        stage.perform(stage.newCall(true))
        stage.settle()
      },
    },
  }),
  ...faultsOf('retry-new-key', {
    'by the same agent': (stage) => {
      const first = lost(stage)
      stage.open = []
      repeat(stage, first)
    },
    'by the receiver': {
      style: RECORD,
      play: (stage) => {
        const first = lost(stage)
        handOver(stage, { mode: 'transfer', to: stage.other(), settles: false })
        stage.open = []
        repeat(stage, first)
      },
    },
  }),
  ...faultsOf('write-without-key', {
    'it ends unknown': (stage) => {
      stage.settle()
      const { key: _, ...call } = stage.newCall(true)
      stage.operation(call, 'sent')
      stage.operation(call, 'unknown')
    },
    'it is repeated after an unknown end': (stage) => {
      stage.settle()
      const { key: _, ...call } = stage.newCall(true)
      stage.operation(call, 'unknown')
      stage.operation({ ...call, op: stage.next('op-'), call: stage.next('call_') }, 'settled', {
        result: 'ok',
      })
    },
  }),
  ...faultsOf('key-reused', {
    'other arguments': (stage) => {
      const { key } = stage.perform(stage.newCall(true, { tool: 'book_slot' }))
      stage.perform(stage.newCall(true, { tool: 'book_slot', key: key! }))
    },
    'another tool': (stage) => {
      const { key, args } = stage.perform(stage.newCall(true, { tool: 'book_slot' }))
      stage.perform(stage.newCall(true, { tool: 'send_invoice', args, key: key! }))
    },
  }),
  ...faultsOf('side-effect-repeated', {
    'under another key': (stage) => repeat(stage, stage.perform(stage.newCall(true))),
    'one call of the model, twice': (stage) => {
      const first = stage.perform(stage.newCall(true))
      stage.operation({ ...first, op: stage.next('op-'), key: `${first.key}-b` }, 'settled', {
        result: 'again',
      })
    },
    'after a crash': (stage) => {
      const first = stage.perform(stage.newCall(true))
      stage.write('process.crash', { agent: stage.owner })
      const items = stage.history.filter(({ op }) => op !== first.op)
      handOver(stage, { mode: 'resume', to: stage.owner, items })
      repeat(stage, first)
    },
    'by a helper': (stage) => {
      const first = stage.perform(stage.newCall(true))
      const brief = `See to ${first.args.ref}.`
      handOver(stage, {
        mode: 'delegate',
        to: stage.other(),
        items: [briefItem(stage, brief)],
        more: { brief },
      })
      repeat(stage, first)
    },
  }),
  ...faultsOf('settled-by-details', {
    'its entry says so': (stage) => {
      const call = lost(stage)
      stage.open = []
      stage.operation(call, 'settled', { by: 'details', result: { id: 'R-9' } })
    },
    'a read with its arguments found it': (stage) => {
      const call = lost(stage)
      stage.open = []
      const result = JSON.stringify({ reservation: `R-${call.op}` })
      stage.perform(stage.newCall(false, { args: { ref: call.args.ref }, result }))
      stage.operation(call, 'settled', { result })
    },
    'the result names another key': (stage) => {
      const call = lost(stage)
      stage.open = []
      stage.operation(call, 'settled', { result: { key: 'somebody-else', id: 'R-9' } })
    },
  }),
  ...faultsOf('redundant-call', {
    'after a transfer that lost the result': {
      style: { record: false },
      play: (stage) => {
        const first = stage.perform(stage.newCall(false))
        const items = stage.history.filter(({ op }) => op !== first.op)
        handOver(stage, { mode: 'transfer', to: stage.other(), items })
        stage.perform(stage.newCall(false, { tool: first.tool, args: first.args, result: first.result! }))
      },
    },
    'although the result crossed': (stage) => {
      const first = stage.perform(stage.newCall(false))
      stage.settle()
      handOver(stage, { mode: 'transfer', to: stage.other() })
      stage.perform(stage.newCall(false, { tool: first.tool, args: first.args, result: first.result! }))
    },
  }),
  ...faultsOf('redundant-delegation', {
    'after the answer': (stage) => {
      stage.settle()
      const brief = `Find out about ${stage.next('topic-')}.`
      delegated(stage, brief, true)
      delegated(stage, brief, true)
    },
    'while it is worked on': (stage) => {
      stage.settle()
      const brief = `Find out about ${stage.next('topic-')}.`
      delegated(stage, brief, false)
      delegated(stage, brief, false)
    },
  }),
]
