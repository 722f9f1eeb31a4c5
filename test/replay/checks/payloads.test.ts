import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
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

const user = item.user('u1', 'Which tram goes to the harbour?')
const answer = item.agent('a1', 'guide', 'Line 4, from the square.')
const next = item.user('u2', 'And the last one tonight?')
const call = item.call('i1', 'c1', 'timetable', { line: 4 })
const result = item.result('i2', 'c1', '23:41')
const toDesk = item.call('i3', 'c2', 'transfer_to_desk', {})
const done = item.result('i4', 'c2', 'ok')
const all = [user, answer, next, call, result, toDesk, done]

const payload = (
  before: unknown[] | undefined,
  items: unknown[] | undefined,
  fields: object = {},
  receipt: object = {},
) =>
  judge(
    start(),
    sent('h1', 'guide', 'desk', { items_before: before, ...fields }),
    received('h1', 'desk', { items, ...receipt }),
    end(),
  )

describe('filter-not-applied', () => {
  const crossing = (items: unknown[], policy: object) =>
    findingsOf(payload(all, items, { policy }), 'filter-not-applied')
  const talk = [user, answer, next]

  it('is raised for tools that survive their removal, in whatever form and mode', () => {
    for (const filter of [
      'remove-tools',
      'removeAllTools',
      'no_tools',
      'Strip tool calls',
      'tools-removed',
      ['trim', 'without-tools'],
      'agents.extensions.handoff_filters.remove_all_tools',
      'handoff_filters:remove_all_tools',
      { remove: ['tool_call', 'tool_result'] },
      { exclude_types: ['function_call', 'function_call_output'] },
      { excludeTypes: 'tool_call' },
      { removeTools: true },
      { include_tools: false },
    ]) {
      expect(crossing([...talk, call, result], { filter }), JSON.stringify(filter)).toHaveLength(1)
      expect(crossing(talk, { filter }), JSON.stringify(filter)).toEqual([])
    }
    const hosted = [
      { id: 'x1', type: 'code_interpreter_call', code: '1+1', outputs: [] },
      { id: 'x2', type: 'approval', approval: 'ap1', state: 'pending' },
      { id: 'x3', type: 'mcp_approval_request', name: 'pay' },
      { id: 'x4', type: 'reasoning', content: 'now call it' },
      call,
    ]
    const before = [user, ...hosted]
    for (const mode of ['transfer', 'delegate', 'return', 'resume']) {
      const analysis = payload(before, before, { mode, policy: { filter: 'remove-tools' } })
      expect(findingsOf(analysis, 'filter-not-applied')[0]?.message).toContain('5 items')
    }
  })

  it('is raised for a call in other clothes, under another id', () => {
    expect(
      crossing([...talk, { id: 'new', type: 'hosted_tool', call: 'c1', content: 'timetable' }], {
        filter: 'no-tools',
      }),
    ).toHaveLength(1)
  })

  it('is raised for what lies outside a stated part of the history', () => {
    const policies: [object, unknown[], unknown[]][] = [
      [{ history: 'last-pair' }, all, [toDesk, done]],
      [{ history: 'last-pair', allows: ['i3', 'i4'] }, [next, toDesk, done], [toDesk, done]],
      [{ history: 'none' }, [user, answer, next], [next]],
      [{ history: 'none-but-current-input' }, [answer, next], [next]],
      [{ history: 'last-2' }, all, [answer, next, call, result, toDesk, done]],
      [{ history: { last: 1 } }, talk, [next]],
      [{ history: 'last message only' }, talk, [next]],
      [{ history: 'last_message' }, all, [next, done]],
      [{ history: 'last-user-message' }, talk, [next]],
      [{ filter: 'user-only' }, talk, [user, next]],
      [{ filter: 'messages-only' }, all, talk],
      [{ filter: 'hide-transfer-messages' }, [...talk, toDesk, done], [...talk, call, result]],
      [{ allows: ['message', 'user'] }, all, talk],
      [
        { history: 'summary' },
        all,
        [{ type: 'summary', content: 'Asked for trams.', covers: ['u1', 'a1'] }, next],
      ],
    ]
    for (const [policy, wrong, right] of policies) {
      expect(crossing(wrong, policy), `wrong under ${JSON.stringify(policy)}`).toHaveLength(1)
      expect(crossing(right, policy), `right under ${JSON.stringify(policy)}`).toEqual([])
    }
  })

  it('takes the last message of a helper for its report', () => {
    const report = item.agent('a9', 'guide', 'Line 9 goes every ten minutes.')
    const back = (items: unknown[]) =>
      raised(
        payload([user, answer, next, report], items, { mode: 'return', policy: { history: 'last_message' } }),
      )
    expect(back([report])).not.toContain('filter-not-applied')
    expect(back([answer, report])).toContain('filter-not-applied')
  })

  it('is silent for words it does not know, for a whole history, for added notes and for what the record carries', () => {
    for (const policy of [
      { filter: 'house-style' },
      { history: 'full' },
      { filter: 'none' },
      { allows: ['what-fits'] },
      { filter: { remove_tools: false } },
      { filter: { keep: ['tool_call'] } },
      {},
    ]) {
      expect(crossing(all, policy), JSON.stringify(policy)).toEqual([])
    }
    const note = { id: 'n1', type: 'note', content: 'You take over.', origin: { kind: 'framework' } }
    const record = { pending_actions: [{ id: 'ap1', action: 'pay', state: 'pending' }] }
    const analysis = payload(all, [note, ...talk], { policy: { filter: 'remove-tools' } }, { record })
    expect(raised(analysis)).not.toContain('filter-not-applied')
    const file = { id: 'f1', type: 'file', role: 'user', name: 'map.png', sha: 'aa11' }
    expect(raised(payload([user, file], [user, file], { policy: { filter: 'remove-tools' } }))).not.toContain(
      'filter-not-applied',
    )
  })
})

describe('item-reordered', () => {
  it('is raised for a result before its call and an answer before its question', () => {
    const broken = findingsOf(
      payload(all, [user, answer, next, result, call, toDesk, done]),
      'item-reordered',
    )
    expect(broken.map(({ severity }) => severity)).toEqual(['error'])
    const swapped = findingsOf(
      payload(all, [answer, user, next, call, result, toDesk, done]),
      'item-reordered',
    )
    expect(swapped.map(({ severity }) => severity)).toEqual(['warning'])
  })

  it('is silent when pairs stay whole: parallel calls, a moved pair, a summary in front', () => {
    expect(raised(payload(all, all))).not.toContain('item-reordered')
    expect(raised(payload(all, [call, result, user, answer, next, toDesk, done]))).not.toContain(
      'item-reordered',
    )
    expect(raised(payload(all, [user, answer, next, call, toDesk, result, done]))).not.toContain(
      'item-reordered',
    )
    expect(raised(payload(all, [{ type: 'summary', content: 'Trams.' }, next, call, result]))).not.toContain(
      'item-reordered',
    )
  })
})

describe('attachment-dropped', () => {
  const photo = { id: 'f1', type: 'file', role: 'user', name: 'ticket.jpg', sha: 'c0ffee' }
  const inMessage = {
    role: 'user',
    content: [
      { type: 'text', text: 'What does this ticket say?' },
      { type: 'image_url', image_url: { url: 'https://files.example/ticket.png' } },
    ],
  }

  it('is raised for a file item and for a part of a message', () => {
    expect(raised(payload([user, photo], [user]))).toContain('attachment-dropped')
    expect(raised(payload([inMessage], [{ role: 'user', content: 'What does this ticket say?' }]))).toContain(
      'attachment-dropped',
    )
    expect(
      raised(
        payload([user, photo], [item.user('b1', 'Read ticket.jpg')], { mode: 'delegate', brief: 'read it' }),
      ),
    ).toContain('attachment-dropped')
  })

  it('takes a file in the same place for the same one where the two cannot be compared', () => {
    const asked = (...files: object[]) => ({
      role: 'user',
      content: [{ type: 'text', text: 'What does this ticket say?' }, ...files],
    })
    const inline = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo' } }
    const uploaded = { type: 'input_image', file_id: 'file-88' }
    const linked = (name: string) => ({ type: 'input_image', image_url: `https://files.example/${name}` })
    const told = (before: object, after: object) => raised(payload([before], [after]))
    expect(told(asked(inline), asked(uploaded))).not.toContain('attachment-dropped')
    expect(told(asked(inline, linked('a')), asked(linked('a'), uploaded))).not.toContain('attachment-dropped')
    expect(told(asked(linked('a')), asked(linked('b'))), 'another address').toContain('attachment-dropped')
    expect(told(asked(inline, linked('a')), asked(linked('a'))), 'one of two').toContain('attachment-dropped')
  })

  it('is silent when it crossed, also under another id, in the record, or known before', () => {
    expect(raised(payload([user, photo], [user, photo]))).not.toContain('attachment-dropped')
    expect(raised(payload([inMessage], [inMessage]))).not.toContain('attachment-dropped')
    const renamed = { id: 'x', type: 'image', sha: 'c0ffee' }
    expect(raised(payload([user, photo], [user, renamed]))).not.toContain('attachment-dropped')
    const record = { evidence: [{ ref: 'ticket.jpg', summary: 'a photo' }] }
    expect(raised(payload([user, photo], [user], {}, { record }))).not.toContain('attachment-dropped')
    const back = judge(
      start(),
      ...crossed('h1', 'guide', 'desk', [user, photo], { mode: 'delegate' }),
      sent('h2', 'desk', 'guide', {
        mode: 'return',
        items_before: [user, photo, item.agent('d1', 'desk', 'Valid until nine.')],
      }),
      received('h2', 'guide', { items: [item.agent('d1', 'desk', 'Valid until nine.')] }),
      end(),
    )
    expect(raised(back)).not.toContain('attachment-dropped')
  })

  it('is silent when the policy leaves it out, or a brief stands for everything', () => {
    for (const policy of [
      { filter: 'no-attachments' },
      { history: 'none' },
      { history: 'text-only' },
      { history: 'summary' },
    ]) {
      expect(raised(payload([photo, next], [next], { policy })), JSON.stringify(policy)).not.toContain(
        'attachment-dropped',
      )
    }
    const brief = item.user('b1', 'Tell the opening hours.')
    expect(raised(payload([user, photo], [brief], { mode: 'delegate', brief: 'hours' }))).not.toContain(
      'attachment-dropped',
    )
  })
})

describe('payload-empty', () => {
  it('is raised when there was something to carry', () => {
    for (const mode of ['transfer', 'delegate', 'return', 'resume'])
      expect(raised(payload([user], [], { mode })), mode).toContain('payload-empty')
    expect(raised(payload([user], [{ role: 'assistant', content: '' }]))).toContain('payload-empty')
    expect(raised(payload([], [], { record: { intent: 'find the tram' } }))).toContain('payload-empty')
    expect(raised(payload(undefined, [], { brief: 'find the tram' }))).toContain('payload-empty')
    expect(raised(payload([user], [], {}, { instructions: 'You are the desk.' }))).toContain('payload-empty')
  })

  it('is silent when something crossed, nothing was there, or it crossed another way', () => {
    expect(raised(payload([user], [user]))).not.toContain('payload-empty')
    expect(raised(payload([], []))).not.toContain('payload-empty')
    expect(raised(payload([user], undefined))).not.toContain('payload-empty')
    expect(raised(payload([user], [], {}, { record: { intent: 'find the tram' } }))).not.toContain(
      'payload-empty',
    )
    expect(raised(payload([user], [], {}, { checkpoint: 'cp-4' }))).not.toContain('payload-empty')
    expect(raised(payload([user], [], { mode: 'notify' }))).not.toContain('payload-empty')
    expect(
      raised(payload([user], [], { brief: 'find the tram' }, { instructions: 'Task: find the tram' })),
    ).not.toContain('payload-empty')
  })
})

describe('payload-too-large', () => {
  const failing = (fields: object) =>
    raised(
      judge(
        start(),
        sent('h1', 'guide', 'desk', { items_before: [user] }),
        { kind: 'handoff.failed', handoff: 'h1', outcome: 'refused', ...fields },
        end(),
      ),
    )

  it('is raised by the numbers or by the error', () => {
    expect(failing({ tokens: 9000, limit: 8000 })).toContain('payload-too-large')
    expect(failing({ error: "This model's maximum context length is 8192 tokens" })).toContain(
      'payload-too-large',
    )
    expect(failing({ error: { code: 413, message: 'Request entity too large' } })).toContain(
      'payload-too-large',
    )
    expect(raised(payload([user], [user], {}, { tokens: 9000, limit: 8000 }))).toContain('payload-too-large')
    const late = judge(
      start(),
      ...crossed('h1', 'guide', 'desk', [user]),
      { kind: 'run.failed', handoff: 'h1', error: 'prompt is too long' },
      end(),
    )
    expect(raised(late)).toContain('payload-too-large')
  })

  it('is silent for other failures and what fits', () => {
    expect(failing({ tokens: 7000, limit: 8000 })).not.toContain('payload-too-large')
    expect(failing({ error: 'it took too long, connection refused' })).not.toContain('payload-too-large')
    expect(raised(payload([user], [user], {}, { tokens: 7000, limit: 8000 }))).not.toContain(
      'payload-too-large',
    )
  })
})

describe('payload-growth', () => {
  const agents = ['n', 'e', 's', 'w']
  const chain = (
    tokens: (number | undefined)[],
    items: (n: number) => unknown[],
    between: (n: number) => Entry[] = () => [],
  ) =>
    raised(
      judge(
        start(),
        ...tokens.flatMap((count, n) => [
          ...between(n),
          sent(`h${n}`, agents[n % 4]!, agents[(n + 1) % 4]!, { items_before: [user] }),
          received(`h${n}`, agents[(n + 1) % 4]!, {
            items: items(n),
            ...(count === undefined ? {} : { tokens: count }),
          }),
        ]),
        end(),
      ),
    )

  it('is raised when each hop carries the last one again', () => {
    expect(chain([300, 700, 1500], () => [user])).toContain('payload-growth')
    expect(chain([1000, 1300, 1600, 1900, 2200], () => [user])).toContain('payload-growth')
    const told = 'The user wants the tram to the harbour, line 4 was named. '
    const nested = (n: number) => [{ id: `s${n}`, type: 'summary', content: told.repeat(2 ** n) }]
    expect(chain([undefined, undefined, undefined], nested), 'measured').toContain('payload-growth')
  })

  it('is silent in ordinary conversations and where work explains it', () => {
    expect(chain([300, 700], () => [user])).not.toContain('payload-growth')
    expect(chain([300, 320, 340, 360], () => [user])).not.toContain('payload-growth')
    const turns = (n: number) => [message('user', `and stop number ${n}?`, { id: `t${n}` })]
    expect(chain([300, 700, 1500, 3200], () => [user], turns)).not.toContain('payload-growth')
    const work = (n: number) => [
      read(agents[n % 4]!, `op-${n}`, 'timetable', { n }, 'settled', {
        result: `${n} `.repeat(1500 * 2 ** n),
      }),
    ]
    expect(chain([300, 1500, 4500], () => [user], work)).not.toContain('payload-growth')
    const fresh = (n: number) =>
      Array.from({ length: 2 ** n }, (_, k) =>
        item.agent(`m${n}-${k}`, 'n', `Stop ${n} has number ${k} and a bench at side ${n * k}.`),
      )
    const seen: unknown[] = []
    const growing = (n: number) => {
      seen.push(...fresh(n))
      return [...seen]
    }
    expect(chain([undefined, undefined, undefined, undefined], growing), 'new words').not.toContain(
      'payload-growth',
    )
  })
})

describe('payload-nondeterministic', () => {
  const run = (receipt: object, startFields: object = {}, before: unknown[] = [user]) => [
    start(startFields),
    sent('h1', 'guide', 'desk', { items_before: before }),
    received('h1', 'desk', {
      items: [user],
      tools: ['find', 'book'],
      instructions: 'Ask: anna, bert, cleo',
      ...receipt,
    }),
    end(),
  ]
  const repeat = { replay_of: 'run-1' }
  const both = (a: object, b: object, before?: unknown[]) =>
    judgeTogether(run(a), run(b, repeat, before)).map(
      (analysis) => findingsOf(analysis, 'payload-nondeterministic').length,
    )

  it('is raised once, on the repeating run', () => {
    expect(both({}, { instructions: 'Ask: cleo, anna, bert' })).toEqual([0, 1])
    expect(both({}, { tools: ['book', 'find'] })).toEqual([0, 1])
    expect(both({}, { items: [answer, user] })).toEqual([0, 1])
  })

  it('is silent for equal payloads, generated ids and times, other input and unrelated runs', () => {
    expect(both({}, {})).toEqual([0, 0])
    const stamped = (id: string, at: string) => ({ items: [{ ...user, id, at }], instructions: `Now: ${at}` })
    expect(both(stamped('4f0c', '2031-01-01T10:00:00Z'), stamped('77ab', '2031-01-02T11:30:00Z'))).toEqual([
      0, 0,
    ])
    expect(both({}, { items: [user, answer] }, [user, answer])).toEqual([0, 0])
    const unrelated = judgeTogether(run({}), run({ tools: ['book'] }))
    expect(unrelated.flatMap((analysis) => findingsOf(analysis, 'payload-nondeterministic'))).toEqual([])
  })
})

describe('stale-refusal-carried', () => {
  const approval = (state: string, fields: object = {}): Entry => ({
    kind: 'approval',
    id: 'ap1',
    action: 'book',
    scope: { seat: 3 },
    for: 'op-1',
    agent: 'guide',
    state,
    ...fields,
  })
  const carried = (entries: Entry[], items: unknown[], record: object = {}) =>
    raised(
      judge(
        start(),
        ...entries,
        sent('h1', 'guide', 'desk', { items_before: items, record }),
        received('h1', 'desk', { items, record }),
        end(),
      ),
    )
  const refused = { id: 'x1', type: 'approval', approval: 'ap1', state: 'rejected' }

  it('is raised when the refusal was overturned, under the same id or another', () => {
    expect(carried([approval('rejected'), approval('approved')], [user, refused])).toContain(
      'stale-refusal-carried',
    )
    const second = approval('approved', { id: 'ap2', for: undefined })
    expect(carried([approval('rejected', { for: undefined }), second], [user, refused])).toContain(
      'stale-refusal-carried',
    )
    expect(carried([approval('rejected'), approval('approved')], [user], { rejected: ['book'] })).toContain(
      'stale-refusal-carried',
    )
    expect(
      carried([approval('denied'), approval('granted')], [user], {
        pending_actions: [{ id: 'ap1', state: 'rejected' }],
      }),
    ).toContain('stale-refusal-carried')
    const rule: Entry = { kind: 'constraint', id: 'k1', text: 'book nothing today' }
    expect(
      carried([rule, { ...rule, state: 'revoked' }], [user], { constraints: ['book nothing today'] }),
    ).toContain('stale-refusal-carried')
  })

  it('is raised for words that refuse a tool which is not denied any more, and only for those', () => {
    const denied: Entry = { kind: 'permission', agent: 'guide', deny: ['deploy'] }
    const allowed: Entry = { kind: 'permission', agent: 'guide', allow: ['deploy'], deny: [] }
    const refusal = {
      id: 'a1',
      type: 'message',
      role: 'assistant',
      content: 'I may not deploy.',
      intent: 'refusal',
    }
    expect(carried([denied, allowed], [user, refusal])).toContain('stale-refusal-carried')
    expect(carried([denied], [user, refusal])).not.toContain('stale-refusal-carried')
    expect(carried([denied, allowed], [user, { ...refusal, intent: undefined }])).not.toContain(
      'stale-refusal-carried',
    )
    expect(carried([denied, allowed], [user, { ...refusal, content: 'I may not book.' }])).not.toContain(
      'stale-refusal-carried',
    )
  })

  it('is silent while it holds, and when the later decision crossed as well', () => {
    expect(carried([approval('rejected')], [user, refused])).not.toContain('stale-refusal-carried')
    expect(carried([approval('approved'), approval('rejected')], [user, refused])).not.toContain(
      'stale-refusal-carried',
    )
    const given = { id: 'x2', type: 'approval', approval: 'ap1', state: 'approved' }
    expect(carried([approval('rejected'), approval('approved')], [user, refused, given])).not.toContain(
      'stale-refusal-carried',
    )
    const rule: Entry = { kind: 'constraint', id: 'k1', text: 'book nothing today' }
    expect(carried([rule], [user], { constraints: ['book nothing today'] })).not.toContain(
      'stale-refusal-carried',
    )
    const words = item.user('u8', 'book nothing today')
    expect(
      carried([rule, { ...rule, state: 'revoked' }], [words, item.user('u9', 'you may book now')]),
    ).not.toContain('stale-refusal-carried')
  })
})

describe('record-changed', () => {
  const record = {
    intent: 'find the last tram',
    status: { done: ['line 4', 'square'], pending: ['time'] },
    stop_condition: 'the time is told',
    ack_due: '2031-05-06T10:00:00Z',
    constraints: ['book nothing'],
  }
  const changed = (received: object) =>
    findingsOf(payload([user], [user], { record }, { record: received }), 'record-changed').map(
      ({ subject }) => subject.id,
    )

  it('is raised for each field that says something else or is gone', () => {
    expect(changed({ ...record, intent: 'book the last tram' })).toEqual(['record.intent'])
    const { stop_condition: _, ...shorter } = record
    expect(changed(shorter)).toEqual(['record.stop_condition'])
    expect(changed({ ...record, status: { done: ['line 4'], pending: ['time', 'square'] } })).toEqual([
      'record.status',
    ])
  })

  it('is silent for form, added fields, and fields that other checks judge', () => {
    expect(changed(record)).toEqual([])
    const same = {
      ...record,
      intent: ' Find the last  tram',
      status: { pending: ['time'], done: ['square', 'line 4'] },
      ack_due: '2031-05-06T12:00:00+02:00',
    }
    expect(changed(same)).toEqual([])
    expect(changed({ ...record, received_at: 'now', constraints: [] })).toEqual([])
    expect(raised(payload([user], [user], { record }))).not.toContain('record-changed')
  })
  it('takes no words before a number for a time', () => {
    // Date.parse reads both as the same day.
    const lot = { ...record, intent: 'move lot R-9' }
    const run = payload([user], [user], { record: lot }, { record: { ...lot, intent: 'cancel lot R-9' } })
    expect(findingsOf(run, 'record-changed').map(({ subject }) => subject.id)).toEqual(['record.intent'])
  })
})

describe('wild input', () => {
  it('does not stop a check: missing fields, odd types, no agents', () => {
    const odd: Entry[] = [
      { kind: 'handoff.sent', handoff: 'h1' },
      { kind: 'handoff.received', handoff: 'h1' },
      {
        kind: 'handoff.sent',
        handoff: 'h2',
        items_before: [null, 7, 'plain', {}, [], { type: 'file' }],
        policy: { filter: {}, history: 3, allows: [null, {}] },
      },
      {
        kind: 'handoff.received',
        handoff: 'h2',
        items: [null, {}, { type: 'approval' }, { role: 'user', content: [{ type: 'image' }, null] }],
      },
      { kind: 'handoff.verdict', handoff: 'h3', verdict: 'block' },
      { kind: 'handoff.declined', handoff: 'h4' },
      { kind: 'handoff.dead_lettered', handoff: 'h5' },
      { kind: 'store.write' },
      { kind: 'store.failed' },
      { kind: 'snapshot' },
      { kind: 'task.state' },
      message('assistant', null),
      operation('x', 'op-1', '', null, 'settled'),
    ]
    expect(() => judge(...odd, end())).not.toThrow()
    expect(() => judge(...[...odd].reverse())).not.toThrow()
  })
})
