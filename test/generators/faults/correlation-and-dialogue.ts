import { type Handover, handOver } from '../handing-over.ts'
import type { Fields, Stage } from '../stage.ts'
import { type Fault, faultsOf, RECORD } from './fault.ts'

function take(stage: Stage, alter: Handover['alter'], more: Fields = {}): string {
  return handOver(stage, { mode: 'transfer', to: stage.other(), alter, more })
}

/** The user is greeted, hands over their wish, and the receiver opens with `words`. */
function opening(stage: Stage, first: string, words: string, fields: Fields = {}, more: Fields = {}): void {
  stage.say('assistant', first, fields)
  stage.say('user', `About ${stage.next('x')}, please.`, more)
  handOver(stage, { mode: 'transfer', to: stage.other() })
  stage.say('assistant', words, fields)
  stage.say('user', `Yes, on ${stage.next('x')}.`)
}

export const correlationAndDialogue: Fault[] = [
  ...faultsOf('trace-broken', {
    'a new trace': {
      style: { traced: true },
      play: (stage) =>
        take(stage, ({ received }) => Object.assign(received, { trace: { id: 'cd'.repeat(16) } })),
    },
  }),
  ...faultsOf('correlation-lost', {
    'no task id': (stage) =>
      take(stage, undefined, { task: { id: stage.next('t'), context: stage.next('c') } }),
    'another context': (stage) => {
      const id = stage.next('t')
      take(stage, ({ received }) => Object.assign(received, { task: { id, context: 'new' } }), {
        task: { id, context: stage.next('c') },
      })
    },
    'another id in the record': {
      style: RECORD,
      play: (stage) =>
        take(stage, ({ received }) => Object.assign(received.record as Fields, { correlation_id: 'x-1' })),
    },
  }),
  ...faultsOf('correlation-not-opaque', {
    'a mail address': (stage) => {
      const task = { id: stage.next('t'), context: 'ada.king@example.org' }
      take(stage, ({ received }) => Object.assign(received, { task }), { task })
    },
    'what the user said': (stage) => {
      stage.say('user', 'Please move the blue sofa upstairs.')
      const task = 'move-blue-sofa-upstairs'
      take(stage, ({ received }) => Object.assign(received, { task }), { task })
    },
  }),
  ...faultsOf('re-greet', {
    'the same greeting': (stage) =>
      opening(stage, 'Good morning, harbour clinic.', 'Good morning, harbour clinic.'),
    'a greeting by its intent': (stage) =>
      opening(stage, 'Harbour clinic, at your service.', 'Harbour clinic, what is it about?', {
        intent: 'greeting',
      }),
    'in another language': (stage) =>
      opening(stage, 'Guten Tag, hier die Klinik.', 'Guten Tag, wie kann ich helfen?'),
  }),
  ...faultsOf('re-ask', {
    'a topic that was given': (stage) =>
      opening(stage, 'What is it about?', 'What is it about?', { asks: 'topic' }, { gives: { topic: 'x' } }),
    'in the same words': (stage) => {
      const question = 'What is your customer number, please?'
      opening(stage, `${question}`, `Thanks for waiting. ${question}`)
    },
  }),
  ...faultsOf('receiver-reannounces', {
    'by its intent': (stage) =>
      opening(stage, 'I put you through now.', 'You have been put through.', { intent: 'announce-transfer' }),
    'in the same words': (stage) => {
      const to = stage.other()
      const words = `One moment, ${to} takes over from here.`
      stage.say('assistant', words)
      handOver(stage, { mode: 'transfer', to })
      stage.say('assistant', words)
      stage.say('user', `Yes, on ${stage.next('x')}.`)
    },
  }),
]
