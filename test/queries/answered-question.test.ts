import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readCatalogue } from '../../queries/catalogue.ts'
import { runMetric } from '../../queries/run-metric.ts'
import { newFolder, opened } from '../store/folder.ts'

const ASKED = 'Which address shall the parcel go to?'
const metric = readCatalogue().find(({ name }) => name === 'time-to-first-correct-action')!

/** The receiver first calls ask_customer, five seconds after the receipt, and looks something up seven seconds after that. */
function log(run: string, question: string, answer: boolean): object[] {
  const call = (op: string, tool: string, args: object, sent: number) => [
    { kind: 'operation', op, tool, args, effect: 'read', agent: 'shipping', state: 'sent', second: sent },
    {
      kind: 'operation',
      op,
      tool,
      args,
      effect: 'read',
      agent: 'shipping',
      state: 'settled',
      result: 'so',
      second: sent + 1,
    },
  ]
  const events = [
    { kind: 'run.start', second: 0 },
    {
      kind: 'message',
      id: 'm1',
      role: 'assistant',
      agent: 'orders',
      content: `Thank you. ${ASKED}`,
      second: 1,
    },
    ...(answer ? [{ kind: 'message', id: 'm2', role: 'user', content: 'Elm Street 4.', second: 2 }] : []),
    {
      kind: 'handoff.sent',
      handoff: 'h1',
      mode: 'transfer',
      from: 'orders',
      to: 'shipping',
      items_before: [],
      second: 3,
    },
    { kind: 'handoff.received', handoff: 'h1', by: 'shipping', items: [], second: 4 },
    ...call('op-1', 'ask_customer', { question }, 9),
    ...call('op-2', 'find_carrier', { city: 'Elm' }, 16),
  ]
  return events.map(({ second, ...event }, at) => ({
    run,
    seq: at + 1,
    at: `2031-03-04T09:00:${String(second).padStart(2, '0')}Z`,
    ...event,
  }))
}

it.each([
  ['a question that the user had answered is no correct action', ASKED, true, 12_000, 1],
  ['a question that was put and not answered is one', ASKED, false, 5000, 0],
  ['a question that nobody had put is one', 'Shall it go by express or by standard post?', true, 5000, 0],
])('%s', async (_, question, answer, value, detours) => {
  const store = await opened(newFolder())
  await store.importStream(
    Readable.from(log('a', question, answer).map((event) => `${JSON.stringify(event)}\n`)),
  )
  const { rows } = await runMetric(store, metric, { limit: 10, timeoutMs: 60_000 })
  expect(rows).toMatchObject([{ value, detours, received: 1, acted: 1, correct: 1, median_first_ms: 5000 }])
})
