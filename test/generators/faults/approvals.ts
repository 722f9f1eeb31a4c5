import { type Handover, handOver } from '../handing-over.ts'
import { briefItem, giveBack } from '../scenes-of-handoffs.ts'
import type { Call, Fields, Stage } from '../stage.ts'
import { type Fault, faultsOf, RECORD } from './fault.ts'

type Asked = { call: Call; id: string; about: Fields }

/** A gated write that waits for a yes. */
function ask(stage: Stage, fields: Fields = {}): Asked {
  stage.settle()
  const call = stage.newCall(true)
  stage.callItem(call)
  stage.operation(call, 'proposed')
  const id = stage.next('ap-')
  const about = { action: call.tool, scope: call.args, for: call.op, agent: stage.owner, ...fields }
  stage.write('approval', { id, state: 'pending', ...about })
  return { call, id, about }
}

function decide(stage: Stage, { id, about }: Asked, state: string, fields: Fields = {}): void {
  const by = stage.principal.id
  stage.write('approval', { id, state, ...about, by, delivered_to: stage.owner, ...fields })
}

/** Carries the question in the record, as `entry` says it. */
function pass(stage: Stage, { id, call }: Asked, mode: string, entry: Fields | undefined): void {
  const pending = { id, action: call.tool, scope: call.args, for: call.op }
  const alter: Handover['alter'] = ({ sent, received }) => {
    const open = (side: Fields, value: unknown[]) => {
      ;(side.record as Fields).pending_actions = value
    }
    open(sent, [pending])
    open(received, entry === undefined ? [] : [{ ...pending, ...entry }])
  }
  const items = stage.history.filter(({ type }) => type !== 'tool_call' && type !== 'tool_result')
  handOver(stage, { mode, to: mode === 'resume' ? stage.owner : stage.other(), items, alter })
}

export const approvals: Fault[] = [
  ...faultsOf('approval-pending-lost', {
    'not in the record of a transfer': {
      style: RECORD,
      play: (stage) => pass(stage, ask(stage), 'transfer', undefined),
    },
    'not in the record of an escalation': {
      style: RECORD,
      play: (stage) => pass(stage, ask(stage), 'escalate', undefined),
    },
    'not restored by a resume': {
      style: RECORD,
      play: (stage) => pass(stage, ask(stage), 'resume', undefined),
    },
    'not told by a helper that returns': (stage) => {
      stage.settle()
      const caller = stage.owner
      const history = stage.history
      const brief = `See to ${stage.next('topic-')}.`
      handOver(stage, {
        mode: 'delegate',
        to: stage.other(),
        items: [briefItem(stage, brief)],
        more: { brief },
      })
      ask(stage)
      giveBack(stage, caller, history, brief)
    },
  }),
  ...faultsOf('approval-id-changed', {
    'in the record': {
      style: RECORD,
      play: (stage) => pass(stage, ask(stage), 'transfer', { id: stage.next('new-') }),
    },
    'answered under an id that nobody announced': (stage) => {
      const asked = ask(stage)
      decide(stage, { ...asked, id: stage.next('inner-') }, 'approved')
    },
  }),
  ...faultsOf('approval-scope-changed', {
    'the record has another scope': {
      style: RECORD,
      play: (stage) => pass(stage, ask(stage), 'transfer', { scope: { ref: 'anything', count: 9999 } }),
    },
    'the arguments change after the yes': (stage) => {
      const asked = ask(stage)
      decide(stage, asked, 'approved')
      asked.call.args = { ...asked.call.args, count: 9999 }
      stage.answer(asked.call, { approval: asked.id })
    },
    'another action was shown': (stage) => {
      const asked = ask(stage, {
        action: 'start_helper',
        scope: { task: 'tidy up' },
        shown: { tool: 'start_helper', args: { task: 'tidy up' } },
      })
      decide(stage, asked, 'approved')
      stage.answer(asked.call, { approval: asked.id })
    },
  }),
  ...faultsOf('approval-misdirected', {
    'to a colleague': (stage) => decide(stage, ask(stage), 'approved', { delivered_to: stage.other() }),
    'to nobody, with an error': (stage) => decide(stage, ask(stage), 'rejected', { error: 'no such run' }),
  }),
  ...faultsOf('approval-consumed-early', {
    'the step failed': (stage) => {
      const asked = ask(stage)
      decide(stage, asked, 'approved')
      stage.write('approval', { id: asked.id, state: 'consumed' })
      stage.operation(asked.call, 'failed', { approval: asked.id, error: '503' })
    },
    'the run failed before it': {
      last: true,
      play: (stage) => {
        const asked = ask(stage)
        decide(stage, asked, 'approved')
        stage.write('approval', { id: asked.id, state: 'consumed' })
        stage.write('run.failed', { error: 'overloaded' })
      },
    },
  }),
  ...faultsOf('approval-decision-lost', {
    'a helper reports a fault instead of a no': {
      style: RECORD,
      play: (stage) => {
        stage.settle()
        const caller = stage.owner
        const history = stage.history
        const brief = `See to ${stage.next('topic-')}.`
        handOver(stage, {
          mode: 'delegate',
          to: stage.other(),
          items: [briefItem(stage, brief)],
          more: { brief },
        })
        decide(stage, ask(stage), 'rejected', { reason: 'not before I have seen it' })
        giveBack(stage, caller, history, brief)
      },
    },
    'a yes crosses as pending': {
      style: RECORD,
      play: (stage) => {
        const asked = ask(stage)
        decide(stage, asked, 'approved')
        pass(stage, asked, 'transfer', { state: 'pending' })
      },
    },
  }),
  ...faultsOf('approval-rejected-overridden', {
    'by the same agent': (stage) => {
      const asked = ask(stage)
      decide(stage, asked, 'rejected')
      stage.answer(asked.call)
    },
    'by a colleague, as a call of its own': (stage) => {
      const asked = ask(stage)
      decide(stage, asked, 'rejected')
      handOver(stage, { mode: 'transfer', to: stage.other() })
      stage.perform(stage.newCall(true, { tool: asked.call.tool, args: asked.call.args }))
    },
  }),
  ...faultsOf('write-without-approval', {
    'while it is pending': (stage) => stage.answer(ask(stage).call),
    'as another operation': (stage) => {
      const { call } = ask(stage)
      stage.perform(stage.newCall(true, { tool: call.tool, args: call.args }))
    },
  }),
  ...faultsOf('approval-asked-again', {
    'after a yes': (stage) => {
      const asked = ask(stage)
      decide(stage, asked, 'approved')
      stage.write('approval', { id: stage.next('ap-'), state: 'pending', ...asked.about })
    },
    'after a no': (stage) => {
      const asked = ask(stage)
      decide(stage, asked, 'rejected')
      stage.write('approval', { id: stage.next('ap-'), state: 'pending', ...asked.about })
    },
  }),
]
