import { type Handover, handOver } from '../handing-over.ts'
import { briefItem } from '../scenes-of-handoffs.ts'
import type { Fields, Rule, Stage } from '../stage.ts'
import { type Fault, faultsOf, PLAIN, RECORD } from './fault.ts'

/** A rule that somebody states, with or without a check. */
function state(stage: Stage, text: string, check?: unknown): Rule {
  const rule = { id: stage.next('rule-'), text, ...(check === undefined ? {} : { check }) }
  stage.write('constraint', { ...rule, agent: stage.owner, scope: 'run', state: 'active' })
  return rule
}

/** Hands over with a rule that stands at the sender, and as `told` says at the receiver. */
function withRule(
  stage: Stage,
  mode: string,
  told: (rule: Rule) => { record?: unknown; words?: string },
): void {
  const rule = state(stage, `quote no price above 120 EUR for ${stage.next('lot-')} without asking`)
  const { record, words } = told(rule)
  const brief = `Go on with ${stage.next('topic-')}.`
  const helper = mode === 'delegate' ? { items: [briefItem(stage, brief)], more: { brief } } : {}
  handOver(stage, {
    mode,
    to: stage.other(),
    ...helper,
    alter: ({ received }) => {
      if (record !== undefined && received.record !== undefined) {
        const { constraints } = received.record as { constraints: unknown[] }
        Object.assign(received.record as Fields, { constraints: [...constraints, record] })
      }
      if (words !== undefined) received.instructions = `${received.instructions ?? ''}\n${words}`
    },
  })
  stage.rules.push(rule)
}

function breaks(stage: Stage, check: unknown, tool: string, args: Fields, carried: boolean): void {
  const rule = state(stage, `a rule on ${tool} (${stage.next('lot-')})`, check)
  if (carried) {
    stage.rules.push(rule)
    handOver(stage, { mode: 'transfer', to: stage.other() })
  }
  stage.perform(stage.newCall(true, { tool, args }))
}

function promise(stage: Stage, id: string, state: string): Fields {
  const made = { id, text: `call back about ${id} by noon`, agent: stage.owner }
  stage.write('commitment', { ...made, state })
  return made
}

function withRecord(change: (record: Fields) => void): Handover['alter'] {
  return ({ received }) => change(received.record as Fields)
}

export const rulesAndContract: Fault[] = [
  ...faultsOf('constraint-dropped', {
    'by a transfer': (stage) => withRule(stage, 'transfer', () => ({})),
    'by an escalation': (stage) => withRule(stage, 'escalate', () => ({})),
    'at a helper': (stage) => withRule(stage, 'delegate', () => ({})),
    'that only the record holds': {
      style: RECORD,
      play: (stage) =>
        handOver(stage, {
          mode: 'transfer',
          to: stage.other(),
          alter: ({ sent }) => {
            const record = sent.record as { constraints: unknown[] }
            record.constraints = [...record.constraints, `pack ${stage.next('lot-')} twice`]
          },
        }),
    },
  }),
  ...faultsOf('constraint-reworded', {
    'in the record': {
      style: RECORD,
      play: (stage) =>
        withRule(stage, 'transfer', ({ id, text }) => ({
          record: { id, text: text.replace('120 EUR ', '') },
        })),
    },
    'in the instructions': (stage) =>
      withRule(stage, 'delegate', ({ text }) => ({ words: text.replace(' without asking', '') })),
  }),
  ...faultsOf('constraint-violated', {
    'what is forbidden': (stage) =>
      breaks(stage, { forbid: { tool: 'refund' } }, 'refund', { ref: 'R' }, false),
    'over a limit, after the rule was carried': {
      style: RECORD,
      play: (stage) =>
        breaks(
          stage,
          { limit: { tool: 'refund', arg: 'amount', max: 500 } },
          'refund',
          { amount: 900 },
          true,
        ),
    },
    'without a yes': (stage) =>
      breaks(
        stage,
        { require_approval: { tool: 'book_slot' } },
        'book_slot',
        { slot: stage.next('s') },
        false,
      ),
    'out of order': (stage) =>
      breaks(stage, { order: ['pack_parcel', 'book_slot'] }, 'book_slot', { parcel: stage.next('s') }, false),
  }),
  ...faultsOf('commitment-dropped', {
    'by a transfer': {
      style: RECORD,
      last: true,
      play: (stage) => {
        promise(stage, stage.next('cm-'), 'open')
        handOver(stage, { mode: 'transfer', to: stage.other() })
        stage.say('assistant', `Here is ${stage.next('p')}.`)
        stage.write('run.end', {})
      },
    },
    'a helper never comes back': {
      last: true,
      play: (stage) => {
        const caller = stage.owner
        const brief = `Find ${stage.next('topic-')}, and tell me.`
        handOver(stage, {
          mode: 'delegate',
          to: stage.other(),
          items: [briefItem(stage, brief)],
          more: { brief },
        })
        stage.owner = caller
        promise(stage, stage.next('cm-'), 'open')
        stage.write('run.end', {})
      },
    },
  }),
  ...faultsOf('commitment-stale', {
    'in the record': {
      style: RECORD,
      play: (stage) => {
        const made = promise(stage, stage.next('cm-'), 'open')
        promise(stage, String(made.id), 'kept')
        const alter = withRecord((record) => {
          record.commitments = [...(record.commitments as unknown[]), { id: made.id, text: made.text }]
        })
        handOver(stage, { mode: 'transfer', to: stage.other(), alter })
      },
    },
    'as an item that binds': {
      style: PLAIN,
      play: (stage) => {
        const id = stage.next('cm-')
        promise(stage, id, 'open')
        stage.history.push({ id: stage.next('n'), type: 'note', content: 'Be silent.', commitment: id })
        promise(stage, id, 'closed')
        handOver(stage, { mode: 'transfer', to: stage.other() })
        stage.history = stage.history.filter(({ commitment }) => commitment !== id)
      },
    },
  }),
  ...faultsOf('contract-incomplete', {
    'no stop condition': {
      style: RECORD,
      play: (stage) => {
        const alter = withRecord((record) => delete record.stop_condition)
        handOver(stage, { mode: 'transfer', to: stage.other(), alter })
      },
    },
    'no intent and no next action': {
      style: RECORD,
      play: (stage) => {
        const alter = withRecord((record) => Object.assign(record, { intent: '', next_action: undefined }))
        handOver(stage, { mode: 'escalate', to: stage.other(), alter })
      },
    },
  }),
  ...faultsOf('evidence-missing', {
    'references that the record had': {
      style: RECORD,
      play: (stage) => {
        const ref = stage.next('doc-')
        handOver(stage, {
          mode: 'transfer',
          to: stage.other(),
          alter: ({ sent }) =>
            Object.assign(sent.record as Fields, { evidence: [{ ref, summary: 'measured' }] }),
        })
      },
    },
    'a statement whose result was left behind': {
      style: { ...PLAIN, record: false },
      play: (stage) => {
        const { op } = stage.perform(stage.newCall(false))
        stage.say('assistant', `It is below the limit of ${stage.next('p')}.`)
        Object.assign(stage.history.at(-1)!, { evidence: [op] })
        const items = stage.history.filter((item) => item.op !== op)
        handOver(stage, { mode: 'transfer', to: stage.other(), items })
      },
    },
  }),
  ...faultsOf('user-message-dropped', {
    'the last request': {
      style: { record: false },
      play: (stage) => {
        const asked = stage.say('user', `Where is parcel ${stage.next('x')}?`)
        handOver(stage, {
          mode: 'transfer',
          to: stage.other(),
          items: stage.history.filter((item) => item !== asked),
        })
      },
    },
    'a spoken turn': {
      style: { record: false },
      play: (stage) => {
        const items = [...stage.history]
        stage.say('user', `Please move ${stage.next('x')} to Friday.`, { channel: 'voice' })
        handOver(stage, { mode: 'escalate', to: stage.other(), items })
      },
    },
  }),
  ...faultsOf('brief-dropped', {
    'at a helper': (stage) => {
      const brief = `Find the deed of plot ${stage.next('x')}.`
      const items = [{ id: stage.next('s'), type: 'message', role: 'system', content: 'You help.' }]
      handOver(stage, { mode: 'delegate', to: stage.other(), items, more: { brief } })
    },
    'by a resume': (stage) => {
      const brief = `Find the deed of plot ${stage.next('x')}.`
      handOver(stage, {
        mode: 'delegate',
        to: stage.other(),
        items: [briefItem(stage, brief)],
        more: { brief },
      })
      stage.say('assistant', `I am at ${stage.next('p')}.`)
      handOver(stage, { mode: 'resume', to: stage.owner, items: stage.history.slice(-1) })
    },
  }),
  ...faultsOf('record-changed', {
    'another task': {
      style: RECORD,
      play: (stage) => {
        const alter = withRecord((record) =>
          Object.assign(record, { task: `something else (${stage.next('x')})` }),
        )
        handOver(stage, { mode: 'transfer', to: stage.other(), alter })
      },
    },
    'a field is gone': {
      style: RECORD,
      play: (stage) =>
        handOver(stage, {
          mode: 'resume',
          to: stage.owner,
          alter: ({ sent }) =>
            Object.assign(sent.record as Fields, { unresolved_questions: ['which address?'] }),
        }),
    },
  }),
]
