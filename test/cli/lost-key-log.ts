/** A run whose write in doubt leaves its key behind at the handoff; ids as given. */
export function lostKeyLog(run = 'r-lost', extra: { said?: string; agent?: string } = {}): object[] {
  const agent = extra.agent ?? 'orders'
  const items = [
    { id: 'u1', type: 'message', role: 'user', content: 'Set 40 of A-7 aside.' },
    { id: 'a1', type: 'message', role: 'assistant', content: extra.said ?? 'Reserving 40 now.' },
  ]
  const call = {
    id: 'i1',
    type: 'tool_call',
    call: 'c1',
    tool: 'reserve_stock',
    args: { sku: 'A-7', count: 40 },
    op: 'op-2',
  }
  return [
    { kind: 'run.start', principal: { id: 'u-17', kind: 'human' } },
    {
      kind: 'operation',
      agent,
      op: 'op-2',
      tool: 'reserve_stock',
      args: { sku: 'A-7', count: 40 },
      effect: 'write',
      state: 'sent',
      key: 'o7:2',
      call: 'c1',
    },
    {
      kind: 'operation',
      agent,
      op: 'op-2',
      tool: 'reserve_stock',
      effect: 'write',
      state: 'unknown',
      key: 'o7:2',
      call: 'c1',
    },
    {
      kind: 'handoff.sent',
      handoff: 'h1',
      mode: 'transfer',
      from: agent,
      to: 'billing',
      reason: 'bill it',
      items_before: [...items, call],
    },
    { kind: 'handoff.received', handoff: 'h1', by: 'billing', items },
    { kind: 'run.end' },
  ].map((event, index) => ({ run, seq: index + 1, at: `2031-03-04T09:00:0${index}Z`, ...event }))
}
