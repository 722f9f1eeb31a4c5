import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { newFolder, opened } from './folder.ts'

const ITEMS = [{ role: 'user', content: 'Forty of A-7, please.' }]
async function storeOf(events: Record<string, unknown>[]) {
  const store = await opened(newFolder())
  const lines = events.map((event, at) => ({
    run: 'r',
    seq: at + 1,
    at: `2031-03-04T09:00:${String(at).padStart(2, '0')}Z`,
    ...event,
  }))
  await store.importStream(Readable.from(lines.map((one) => `${JSON.stringify(one)}\n`)))
  return store
}
const sent = (handoff: string, from: string, to: string, mode: string, more = {}) => ({
  kind: 'handoff.sent',
  handoff,
  from,
  to,
  mode,
  items_before: ITEMS,
  ...more,
})
const received = (handoff: string, by: string, items: unknown[] = ITEMS, more = {}) => ({
  kind: 'handoff.received',
  handoff,
  by,
  items,
  ...more,
})

describe('derived rows', () => {
  it('do not count a write in doubt as lost where it goes back to whoever made it', async () => {
    const open = {
      open_operations: [{ op: 'op-1', tool: 'reserve', args: { n: 1 }, key: 'key-1', state: 'unknown' }],
    }
    const store = await storeOf([
      {
        kind: 'operation',
        agent: 'orders',
        op: 'op-1',
        tool: 'reserve',
        args: { n: 1 },
        effect: 'write',
        state: 'unknown',
        key: 'key-1',
      },
      sent('h1', 'orders', 'billing', 'delegate', { record: open }),
      received('h1', 'billing', ITEMS, { record: open }),
      {
        kind: 'operation',
        agent: 'billing',
        op: 'op-2',
        tool: 'pay',
        args: {},
        effect: 'write',
        state: 'unknown',
        key: 'key-2',
      },
      sent('h2', 'billing', 'orders', 'return'),
      received('h2', 'orders'),
    ])
    expect(
      await store.query('SELECT handoff, in_doubt, carried, absent, open_keys FROM handoffs ORDER BY ALL'),
    ).toEqual([
      { handoff: 'h1', in_doubt: 1, carried: 1, absent: 0, open_keys: ['key-1'] },
      { handoff: 'h2', in_doubt: 1, carried: 0, absent: 1, open_keys: ['key-2'] },
    ])
  })

  it('do not count an approval that waits at the receiver as one of the sender', async () => {
    const store = await storeOf([
      { kind: 'approval', agent: 'orders', id: 'ap-1', action: 'refund', state: 'pending' },
      sent('h1', 'orders', 'billing', 'delegate'),
      received('h1', 'billing'),
      sent('h2', 'billing', 'orders', 'return'),
      received('h2', 'orders'),
    ])
    expect(await store.query('SELECT handoff, approvals_pending FROM handoffs ORDER BY ALL')).toEqual([
      { handoff: 'h1', approvals_pending: 1 },
      { handoff: 'h2', approvals_pending: 0 },
    ])
  })

  it('name a call corrected that is made again without a key, also where it repeats another one', async () => {
    const mail = { kind: 'operation', tool: 'mail', args: { to: 'B' }, effect: 'write' }
    const store = await storeOf([
      { ...mail, agent: 'orders', op: 'op-1', state: 'unknown' },
      sent('h1', 'orders', 'billing', 'transfer'),
      received('h1', 'billing'),
      { ...mail, agent: 'billing', op: 'op-2', state: 'unknown' },
      { ...mail, agent: 'billing', op: 'op-2', state: 'sent', attempt: 2 },
      { ...mail, agent: 'billing', op: 'op-2', state: 'settled', attempt: 2 },
    ])
    expect(await store.query('SELECT op, correction FROM operations ORDER BY op')).toEqual([
      { op: 'op-1', correction: 'repeated' },
      { op: 'op-2', correction: 'repeated' },
    ])
  })

  it('go on with a chain where several agents work side by side', async () => {
    const store = await storeOf([
      sent('h1', 'orders', 'billing', 'delegate'),
      sent('h2', 'orders', 'stock', 'delegate'),
      received('h1', 'billing'),
      received('h2', 'stock'),
      sent('h3', 'billing', 'audit', 'delegate'),
      received('h3', 'audit', [...ITEMS, ...ITEMS]),
    ])
    expect(await store.query('SELECT handoff, hop, growth > 1 AS grows FROM handoffs ORDER BY ALL')).toEqual([
      { handoff: 'h1', hop: 1, grows: null },
      { handoff: 'h2', hop: 1, grows: null },
      { handoff: 'h3', hop: 2, grows: true },
    ])
  })
})
