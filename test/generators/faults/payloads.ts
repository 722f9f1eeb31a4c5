import type { RunEvent } from '../../../model/run-log.ts'
import { handOver } from '../handing-over.ts'
import type { Fields } from '../stage.ts'
import { type Fault, faultsOf } from './fault.ts'

/** The log of a run that repeats this one, with something else in its receipts. */
function again(log: readonly RunEvent[], change: (received: Fields) => void): RunEvent[] {
  return log.map((event) => {
    const copy = structuredClone(event) as Fields & RunEvent
    copy.run = `${event.run}-again`
    if (event.kind === 'run.start') copy.replay_of = event.run
    if (event.kind === 'handoff.received') change(copy)
    return copy
  })
}

export const payloads: Fault[] = [
  ...faultsOf('payload-empty', {
    'no items': {
      style: { record: false },
      play: (stage) => handOver(stage, { mode: 'transfer', to: stage.other(), items: [] }),
    },
    'items that say nothing': {
      style: { record: false },
      play: (stage) =>
        handOver(stage, {
          mode: 'resume',
          to: stage.owner,
          items: [{ id: stage.next('m'), type: 'message', role: 'assistant', content: '' }],
        }),
    },
  }),
  ...faultsOf('payload-growth', {
    'stated tokens': (stage) => {
      for (let hop = 0; hop < 5; hop++) {
        handOver(stage, {
          mode: 'transfer',
          to: stage.other(),
          alter: ({ received }) => {
            received.tokens = 4000 * 3 ** hop
          },
        })
      }
    },
    'the same words told anew at each hop': {
      style: { record: false },
      play: (stage) => {
        const content = `Context: ${stage.owner} said that the order would be looked into.`
        const told = { type: 'message', role: 'assistant', author: stage.owner, content }
        for (let hop = 1; hop < 6; hop++) {
          const items = [
            ...stage.history,
            ...Array.from({ length: 3 ** hop }, () => ({ ...told, id: stage.next('m') })),
          ]
          handOver(stage, { mode: 'transfer', to: stage.other(), items })
        }
      },
    },
  }),
  ...faultsOf('payload-too-large', {
    'over the limit of the receiver': (stage) =>
      handOver(stage, {
        mode: 'transfer',
        to: stage.other(),
        alter: ({ received }) => Object.assign(received, { tokens: 250_000, limit: 200_000 }),
      }),
    'refused for its length': (stage) => {
      const handoff = stage.next('h')
      const sides = { handoff, from: stage.owner, to: stage.other(), mode: 'transfer' }
      stage.write('handoff.sent', { ...sides, items_before: stage.items(stage.history) })
      stage.write('handoff.failed', { handoff, outcome: 'refused', error: 'prompt is too long' })
    },
  }),
  ...faultsOf('payload-nondeterministic', {
    'tools in another order': {
      play: (stage) => handOver(stage, { mode: 'transfer', to: stage.other() }),
      repeat: (log) =>
        again(log, (received) => (received.tools = [...((received.tools as string[]) ?? [])].reverse())),
    },
    'helpers in another order': {
      play: (stage) =>
        handOver(stage, {
          mode: 'transfer',
          to: stage.other(),
          alter: ({ received }) =>
            Object.assign(received, { instructions: 'You may call: archivist, clerk, scout' }),
        }),
      repeat: (log) =>
        again(log, (received) => {
          if (String(received.instructions).includes('archivist'))
            received.instructions = 'You may call: clerk, scout, archivist'
        }),
    },
  }),
]
