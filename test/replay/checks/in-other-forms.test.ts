import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  item,
  judge,
  judgeTogether,
  message,
  operation,
  raised,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

/*
 * The same faults as a stranger would log them: facts in the record, among the items or in events of other kinds, words of
 * other runtimes, and beside each what looks like it and is none. Each row: what happens, the check, and the run.
 */

type Row = [what: string, check: string, entries: Entry[]]

const ask = (fields: object): Entry => ({
  kind: 'approval',
  action: 'deploy',
  scope: { env: 'prod' },
  ...fields,
})
const rule = (text: string, fields: object = {}): Entry => ({ kind: 'constraint', id: 'k1', text, ...fields })
const order = { order: ['reserve_stock', 'send_invoice'] }
const done = (op: string, tool: string, args: unknown): Entry =>
  operation('orders', op, tool, args, 'settled', { key: `key-${op}`, result: 'ok' })
const parcels = item.user('u1', 'Send the parcels, please.')
const bounce = (n: number): Entry[] => [
  ...crossed(`a${n}`, 'plan', 'code', [item.user('u1', 'Improve the docs.')], { reason: `not mine ${n}` }),
  ...crossed(`b${n}`, 'code', 'plan', [item.user('u1', 'Improve the docs.')], { reason: `nor mine ${n}` }),
]
const thanks = (n: number, from: string, to: string): Entry[] =>
  crossed(`${from}${n}`, from, to, [item.agent(`m${n}`, from, 'Thanks for the update.')], { mode: 'notify' })

const faults: Row[] = [
  [
    'a rule that only the record holds',
    'constraint-dropped',
    [
      sent('h1', 'a', 'b', {
        items_before: [parcels],
        record: { constraints: ['ship to Norway only', 'insure all'] },
      }),
      received('h1', 'b', { items: [parcels], record: { constraints: ['insure all'] } }),
    ],
  ],
  [
    'a rule that only stands among the items',
    'constraint-dropped',
    [
      sent('h1', 'a', 'b', {
        items_before: [
          parcels,
          { id: 'k', type: 'constraint', constraint: 'k7', content: 'ship to Norway only' },
        ],
      }),
      received('h1', 'b', { items: [parcels] }),
    ],
  ],
  [
    'a rule that crosses as it was before it was changed',
    'constraint-reworded',
    [
      rule('spend at most 100 EUR in all'),
      rule('spend at most 50 EUR in all'),
      sent('h1', 'a', 'b', { items_before: [parcels] }),
      received('h1', 'b', {
        items: [parcels],
        record: { constraints: [{ id: 'k1', text: 'spend at most 100 EUR in all' }] },
      }),
    ],
  ],
  [
    'a call against a check that was tightened',
    'constraint-violated',
    [
      rule('at most 100', { check: { limit: { tool: 'buy', arg: 'eur', max: 100 } } }),
      rule('at most 50', { check: { limit: { tool: 'buy', arg: 'eur', max: 50 } } }),
      done('op-1', 'buy', { eur: 80 }),
    ],
  ],
  [
    'the second step for one object before the first for it',
    'constraint-violated',
    [
      rule('reserve before the invoice', { check: order }),
      done('op-1', 'reserve_stock', { order: 'A', count: 4 }),
      done('op-2', 'send_invoice', { order: 'B', count: 4 }),
      done('op-3', 'reserve_stock', { order: 'B', count: 4 }),
    ],
  ],
  [
    'the second step for an object that has the first only later',
    'constraint-violated',
    [
      rule('reserve before the invoice', { check: order }),
      done('op-1', 'reserve_stock', { orderId: 'A' }),
      done('op-2', 'send_invoice', { orderId: 'B' }),
      done('op-3', 'reserve_stock', { orderId: 'B' }),
    ],
  ],
  [
    'a tool declared as Gemini does, against a denial',
    'permission-gained',
    [
      { kind: 'permission', agent: 'a', deny: ['shell'] },
      sent('h1', 'a', 'b', { mode: 'delegate', brief: 'tidy up' }),
      received('h1', 'b', {
        items: [item.user('b1', 'tidy up')],
        tools: [{ functionDeclarations: [{ name: 'read' }, { name: 'shell' }] }],
      }),
    ],
  ],
  [
    'a tool that none of the declared functions is',
    'foreign-tool-called',
    [
      sent('h1', 'a', 'b', { items_before: [parcels] }),
      received('h1', 'b', { items: [parcels], tools: [{ functionDeclarations: [{ name: 'route' }] }] }),
      read('b', 'op-1', 'find_parcel', {}, 'failed'),
    ],
  ],
  [
    'a yes that another agent gives',
    'origin-escalated',
    [
      start({
        agents: [
          { name: 'coder', tools: ['deploy'] },
          { name: 'lead', tools: ['plan'] },
        ],
      }),
      operation('coder', 'op-1', 'deploy', { env: 'prod' }, 'proposed', { key: 'd1' }),
      ask({ id: 'ap-1', state: 'pending', for: 'op-1', agent: 'coder' }),
      ask({ id: 'ap-1', state: 'approved', by: 'lead', for: 'op-1', delivered_to: 'coder' }),
    ],
  ],
  [
    "an agent's own words in the user's role after a resume",
    'origin-escalated',
    [
      sent('h1', 'coder', 'coder', {
        mode: 'resume',
        items_before: [item.agent('a1', 'coder', 'Shall I push?')],
      }),
      received('h1', 'coder', {
        items: [
          item.agent('a1', 'coder', 'Shall I push?'),
          item.user('x1', 'Human: yes, push it', { author: 'coder', origin: { kind: 'agent' } }),
        ],
      }),
    ],
  ],
  [
    'the bot answers the user who talks with a person',
    'two-active',
    [
      ...crossed('h1', 'bot', 'anna', [item.user('u1', 'a human please')], { mode: 'escalate' }),
      message('assistant', 'Anna here.', { agent: 'anna' }),
      message('user', 'My order is late.', { agent: 'anna' }),
      message('assistant', 'Your order is on its way!', { agent: 'bot' }),
    ],
  ],
  [
    'the transfer announced again in other words',
    'receiver-reannounces',
    [
      message('assistant', 'Transferring you to planner.', { agent: 'front' }),
      ...crossed('h1', 'front', 'planner', [parcels]),
      message('assistant', 'You are being transferred to the planner, please hold.', { agent: 'planner' }),
    ],
  ],
  ['the same words to and fro under other reasons', 'handoff-cycle', [1, 2, 3, 4].flatMap(bounce)],
  [
    'two agents that thank each other for ever',
    'handoff-cycle',
    [1, 2, 3].flatMap((n) => [...thanks(n, 'a', 'b'), ...thanks(n, 'b', 'a')]),
  ],
  [
    'a refused call in the history of an agent that may make it by now',
    'stale-refusal-carried',
    [
      { kind: 'permission', agent: 'a', deny: ['edit'] },
      { kind: 'permission', agent: 'a', allow: ['edit'], deny: [] },
      ...crossed('h1', 'a', 'b', [
        parcels,
        item.call('i1', 'c1', 'edit'),
        item.result('i2', 'c1', 'not in plan mode', { denied: true }),
      ]),
    ],
  ],
  [
    'a payload that was cut to its limit',
    'payload-too-large',
    [
      sent('h1', 'a', 'b', { mode: 'delegate', items_before: [parcels], tokens: 9000 }),
      received('h1', 'b', { items: [parcels], tokens: 4000, limit: 4000, truncated: true }),
    ],
  ],
  [
    'a run that fails of its length right after the handoff, without naming it',
    'payload-too-large',
    [
      ...crossed('h1', 'a', 'b', [parcels]),
      { kind: 'run.failed', error: 'prompt is too long: 310000 tokens > 200000 maximum' },
    ],
  ],
  [
    'a verdict that only the return holds',
    'verdict-ignored',
    [
      ...crossed('h1', 'a', 'rev', [parcels], {
        mode: 'delegate',
        requested_action: 'approve',
        record: { next_action: 'publish the page' },
      }),
      ...crossed('h2', 'rev', 'a', [item.agent('m1', 'rev', 'No.')], {
        mode: 'return',
        record: { verdict: 'request_changes' },
      }),
      operation('a', 'op-1', 'publish_page', { page: 1 }, 'settled', { key: 'p1', result: 'ok' }),
    ],
  ],
  [
    'snapshots of server and client that differ',
    'view-diverged',
    [
      { kind: 'snapshot', by: 'server', items: ['u1'] },
      { kind: 'snapshot', by: 'client', items: ['u1', 'a1'] },
    ],
  ],
  [
    'a task that one view ends and the other leaves running',
    'view-diverged',
    [
      { kind: 'task.state', task: 't1', view: 'server', state: 'completed' },
      { kind: 'task.state', task: 't1', view: 'client', state: 'working' },
    ],
  ],
  [
    'one short text stored by two',
    'duplicate-write',
    [
      { kind: 'store.write', agent: 'outer', thread: 't1', content: 'Q: +4 %' },
      { kind: 'store.write', agent: 'inner', thread: 't1', content: 'Q: +4 %' },
    ],
  ],
  [
    'one message id stored by two',
    'duplicate-write',
    [
      { kind: 'store.write', agent: 'outer', id: 'm1', content: 'yes' },
      { kind: 'store.write', agent: 'inner', id: 'm1', content: 'yes' },
    ],
  ],
  [
    'a task called off while its call is on the way',
    'op-state-changed',
    [
      operation('runner', 'op-1', 'export', { y: 1 }, 'sent', { key: 'e1', task: 't1' }),
      { kind: 'task.state', task: 't1', state: 'canceled', agent: 'boss' },
      operation('runner', 'op-1', 'export', { y: 1 }, 'settled', { key: 'e1', result: 'done' }),
    ],
  ],
  [
    'a failed task that comes back as completed, in one word',
    'op-state-changed',
    [
      sent('h1', 'r', 'b', { mode: 'return', record: { status: 'failed' } }),
      received('h1', 'b', { items: [item.agent('m', 'r', 'Paid.')], record: { status: 'completed' } }),
    ],
  ],
  [
    'a message that moved between a call and its result',
    'item-reordered',
    [
      sent('h1', 'a', 'b', {
        items_before: [parcels, item.call('i1', 'c1', 'price'), item.result('i2', 'c1', '4')],
      }),
      received('h1', 'b', { items: [item.call('i1', 'c1', 'price'), parcels, item.result('i2', 'c1', '4')] }),
    ],
  ],
  [
    'a correlation id made of the request',
    'correlation-not-opaque',
    [
      message('user', 'Please refund order 44 for Anna Kuhn.', { agent: 'a' }),
      ...crossed('h1', 'a', 'b', [parcels], { record: { correlation_id: 'refund-order-for-anna-kuhn' } }),
    ],
  ],
  [
    'a trace that only the start of the run names',
    'trace-broken',
    [
      start({ trace: { id: 'aa11' } }),
      sent('h1', 'a', 'b', { mode: 'delegate', items_before: [parcels] }),
      received('h1', 'b', { items: [parcels], trace: { id: 'bb22' } }),
    ],
  ],
]

const innocent: Row[] = [
  [
    'a rule of the record that comes along under its id',
    'constraint-dropped',
    crossed('h1', 'a', 'b', [parcels], { record: { constraints: [{ id: 'k1', text: 'insure all' }] } }),
  ],
  [
    'a rule of the record that was lifted',
    'constraint-dropped',
    [
      sent('h1', 'a', 'b', {
        items_before: [parcels],
        record: { constraints: [{ id: 'k1', text: 'insure all parcels', state: 'revoked' }] },
      }),
      received('h1', 'b', { items: [parcels], record: { constraints: [] } }),
    ],
  ],
  [
    'a changed rule that crosses as it is now',
    'constraint-reworded',
    [
      rule('spend at most 100 EUR in all'),
      rule('spend at most 50 EUR in all'),
      ...crossed('h1', 'a', 'b', [parcels], {
        record: { constraints: [{ id: 'k1', text: 'spend at most 50 EUR in all' }] },
      }),
    ],
  ],
  [
    'a call from before the check was tightened',
    'constraint-violated',
    [
      rule('at most 100', { check: { limit: { tool: 'buy', arg: 'eur', max: 100 } } }),
      done('op-1', 'buy', { eur: 80 }),
      rule('at most 50', { check: { limit: { tool: 'buy', arg: 'eur', max: 50 } } }),
    ],
  ],
  [
    'two objects, each in its order',
    'constraint-violated',
    [
      rule('reserve before the invoice', { check: order }),
      done('op-1', 'reserve_stock', { order: 'A' }),
      done('op-2', 'send_invoice', { order: 'A' }),
      done('op-3', 'reserve_stock', { order: 'B' }),
      done('op-4', 'send_invoice', { order: 'B' }),
    ],
  ],
  [
    'an object that the log never shows at the first step, after another one was there',
    'constraint-violated',
    [
      rule('reserve before the invoice', { check: order }),
      done('op-1', 'reserve_stock', { orderId: 'A', line: 1 }),
      done('op-2', 'send_invoice', { orderId: 'B', line: 2 }),
      done('op-3', 'reserve_stock', { orderId: 'C', line: 2 }),
    ],
  ],
  [
    'two tools that have no argument in common',
    'constraint-violated',
    [
      rule('reserve before the invoice', { check: order }),
      done('op-1', 'reserve_stock', { sku: 'A-7' }),
      done('op-2', 'send_invoice', { to: 'Kim' }),
    ],
  ],
  [
    'a yes by the person to whom the task was escalated, who calls tools as well',
    'origin-escalated',
    [
      ...crossed('h1', 'bot', 'anna', [parcels], { mode: 'escalate' }),
      done('op-9', 'note', {}),
      operation('anna', 'op-8', 'note', {}, 'settled', { key: 'n', result: 'ok' }),
      ask({ id: 'ap-1', state: 'pending', agent: 'bot' }),
      ask({ id: 'ap-1', state: 'approved', by: 'anna', delivered_to: 'bot' }),
    ],
  ],
  [
    'the brief of a helper in its own history',
    'origin-escalated',
    [
      ...crossed(
        'h1',
        'lead',
        'dig',
        [item.user('b1', 'Find the deed.', { author: 'lead', origin: 'agent' })],
        {
          mode: 'delegate',
          brief: 'Find the deed.',
        },
      ),
      ...crossed(
        'h2',
        'dig',
        'dig',
        [item.user('b1', 'Find the deed.', { author: 'lead', origin: 'agent' })],
        {
          mode: 'resume',
        },
      ),
    ],
  ],
  [
    'a bot that says that a person is coming',
    'two-active',
    [
      ...crossed('h1', 'bot', 'anna', [item.user('u1', 'a human please')], { mode: 'escalate' }),
      message('assistant', 'A colleague will be with you shortly.', { agent: 'bot' }),
      message('assistant', 'Anna here.', { agent: 'anna' }),
    ],
  ],
  [
    'an opening that says who speaks now',
    'receiver-reannounces',
    [
      message('assistant', 'Transferring you to planner.', { agent: 'front' }),
      ...crossed('h1', 'front', 'planner', [parcels]),
      message('assistant', 'Planner here, about your parcels.', { agent: 'planner' }),
    ],
  ],
  [
    'an announcement repeated is no greeting',
    're-greet',
    [
      message('assistant', 'Good morning!', { agent: 'front' }),
      message('assistant', 'One moment, planner takes over.', { agent: 'front' }),
      ...crossed('h1', 'front', 'planner', [parcels]),
      message('assistant', 'One moment, planner takes over.', { agent: 'planner' }),
    ],
  ],
  [
    'the same notice again and again, one way',
    'handoff-cycle',
    [1, 2, 3, 4, 5, 6].flatMap((n) => thanks(n, 'a', 'b')),
  ],
  [
    'a refused call that is refused still',
    'stale-refusal-carried',
    [
      { kind: 'permission', agent: 'a', deny: ['edit'] },
      ...crossed('h1', 'a', 'b', [
        parcels,
        item.call('i1', 'c1', 'edit'),
        item.result('i2', 'c1', 'not in plan mode', { denied: true }),
      ]),
    ],
  ],
  [
    'a run that fails of its length long after the handoff',
    'payload-too-large',
    [
      ...crossed('h1', 'a', 'b', [parcels]),
      message('assistant', 'On it.', { agent: 'b' }),
      { kind: 'run.failed', error: 'prompt is too long' },
    ],
  ],
  [
    'snapshots of what two agents keep for themselves',
    'view-diverged',
    [
      message('assistant', 'Hello there.', { agent: 'a' }),
      { kind: 'snapshot', agent: 'a', items: ['u1'] },
      { kind: 'snapshot', agent: 'b', items: ['u1', 'a1'] },
    ],
  ],
  [
    'one status word stored by two',
    'duplicate-write',
    [
      { kind: 'store.write', agent: 'outer', store: 's', content: 'done' },
      { kind: 'store.write', agent: 'inner', store: 's', content: 'done' },
    ],
  ],
  [
    'one short text under two keys',
    'duplicate-write',
    [
      { kind: 'store.write', agent: 'outer', store: 's', key: 'k1', content: 'aisle' },
      { kind: 'store.write', agent: 'inner', store: 's', key: 'k2', content: 'aisle' },
    ],
  ],
  [
    'a task that fails after its call was answered',
    'op-state-changed',
    [
      operation('runner', 'op-1', 'export', { y: 1 }, 'settled', { key: 'e1', task: 't1', result: 'done' }),
      operation('runner', 'op-2', 'mail', { y: 1 }, 'failed', { key: 'e2', task: 't1' }),
      { kind: 'task.state', task: 't1', state: 'failed', agent: 'runner' },
    ],
  ],
  [
    'a pair that moved as a whole',
    'item-reordered',
    [
      sent('h1', 'a', 'b', {
        items_before: [parcels, item.call('i1', 'c1', 'price'), item.result('i2', 'c1', '4')],
      }),
      received('h1', 'b', { items: [item.call('i1', 'c1', 'price'), item.result('i2', 'c1', '4'), parcels] }),
    ],
  ],
  [
    'a correlation id with the name of a workflow',
    'correlation-not-opaque',
    [
      message('user', 'Refund my order.', { agent: 'a' }),
      ...crossed('h1', 'a', 'b', [parcels], { record: { correlation_id: 'order-refund-7f3a' } }),
    ],
  ],
  [
    'a trace of its own in a later process, linked back',
    'trace-broken',
    [
      start({ trace: { id: 'aa11' } }),
      sent('h1', 'a', 'b', { mode: 'delegate', items_before: [parcels] }),
      received('h1', 'b', { items: [parcels], trace: { id: 'bb22', links: ['aa11'] } }),
    ],
  ],
]

const whole = (entries: readonly Entry[]) => [
  ...(entries[0]?.kind === 'run.start' ? [] : [start()]),
  ...entries,
  ...(entries.at(-1)?.kind === 'run.failed' ? [] : [end()]),
]

describe('a fault in another form', () => {
  it.each(faults)('%s raises %s', (_, check, entries) => {
    expect(raised(judge(...whole(entries)))).toContain(check)
  })
})

describe('what looks like a fault', () => {
  it.each(innocent)('%s does not raise %s', (_, check, entries) => {
    expect(raised(judge(...whole(entries)))).not.toContain(check)
  })
})

describe('a model request in a run that repeats another', () => {
  const request = (instructions: string): Entry => ({
    kind: 'model.input',
    agent: 'h',
    items: [item.user('u1', 'go on')],
    instructions,
  })
  const check = 'payload-nondeterministic'

  it('with the same items and its helpers in another order is not the same request', () => {
    const [, repeat] = judgeTogether(
      [start(), request('call: a, b'), end()],
      [start({ replay_of: 'run-1' }), request('call: b, a'), end()],
    )
    expect(raised(repeat!)).toContain(check)
  })

  it('that differs only in what is made anew each time is the same', () => {
    const [, repeat] = judgeTogether(
      [start(), request('now 2031-01-01T10:00:00Z'), end()],
      [start({ replay_of: 'run-1' }), request('now 2031-01-02T11:30:00Z'), end()],
    )
    expect(raised(repeat!)).not.toContain(check)
  })
})
