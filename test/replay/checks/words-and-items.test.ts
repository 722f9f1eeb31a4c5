import { describe, expect, it } from 'vitest'
import {
  crossed,
  end,
  findingsOf,
  item,
  judge,
  message,
  operation,
  raised,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

const SECRET = 'IBAN DE02 1203 0000 0000 2020 51'
const lookUp = (fields: object = {}) =>
  read('desk', 'op-1', 'look_up_account', { customer: 7 }, 'settled', {
    call: 'c1',
    result: { iban: SECRET, city: 'Bonn' },
    sensitive: [SECRET],
    ...fields,
  })
const user = item.user('u1', 'Please check my last transfer.')
const call = item.call('i1', 'c1', 'look_up_account', { customer: 7 }, { op: 'op-1' })
const result = item.result('i2', 'c1', `{"iban":"${SECRET}","city":"Bonn"}`, { op: 'op-1' })

describe('sensitive-leaked', () => {
  const withoutTools = { policy: { filter: 'remove-tools' } }
  const handedOver = (items: unknown[], policy: object = withoutTools, receipt: object = {}) =>
    judge(
      start(),
      lookUp(),
      sent('h1', 'desk', 'fraud', { items_before: [user, call, result], ...policy }),
      received('h1', 'fraud', { items, ...receipt }),
      end(),
    )

  it('is raised wherever the value survives a filter that removes tools', () => {
    const places: [string, unknown[], object?][] = [
      ['a hosted item', [user, { id: 'i1', type: 'shell_call', call: 'c1', outputs: [{ logs: SECRET }] }]],
      ['an answer', [user, item.agent('a1', 'desk', `The account is ${SECRET}.`)]],
      [
        'a summary over two lines',
        [{ id: 's', type: 'summary', content: 'IBAN DE02 1203\n0000 0000 2020 51' }],
      ],
      ['an argument', [user, item.call('i9', 'c9', 'note', { body: { text: SECRET } })]],
      ['JSON in a string', [user, item.agent('a1', 'desk', JSON.stringify({ iban: SECRET, note: '"' }))]],
      ['the instructions', [user], { instructions: `You look after the account ${SECRET}` }],
    ]
    for (const [place, items, receipt] of places) {
      const [finding, ...more] = findingsOf(handedOver(items, withoutTools, receipt), 'sensitive-leaked')
      expect(finding, place).toBeDefined()
      expect(more, place).toEqual([])
      expect(JSON.stringify(finding), 'the value is not repeated').not.toContain('1203')
    }
  })

  it('understands other words for the same policy', () => {
    const leak = [user, item.agent('a1', 'desk', SECRET)]
    for (const policy of [
      { filter: 'removeAllTools' },
      { filter: 'tools_removed' },
      { filter: ['trim-whitespace', 'no-tools'] },
      { redact: true },
      { redact: ['iban'] },
      { history: 'messages-only' },
      { filter: { name: 'redact-secrets' } },
    ]) {
      expect(raised(handedOver(leak, { policy })), JSON.stringify(policy)).toContain('sensitive-leaked')
    }
  })

  it('is raised without a policy when the item that held the value was dropped', () => {
    expect(raised(handedOver([user, item.agent('a1', 'desk', `It is ${SECRET}`)], {}))).toContain(
      'sensitive-leaked',
    )
  })

  it('is raised on a return whose sender logged no items', () => {
    const analysis = judge(
      start(),
      ...crossed('h1', 'lead', 'desk', [user], { mode: 'delegate' }),
      lookUp(),
      sent('h2', 'desk', 'lead', { mode: 'return' }),
      received('h2', 'lead', { items: [item.agent('a1', 'desk', `Found: ${SECRET}`)] }),
      end(),
    )
    expect(findingsOf(analysis, 'sensitive-leaked').map(({ handoff }) => handoff)).toEqual(['h2'])
  })

  it('counts the record only where the policy redacts', () => {
    const record = { completed_effects: [{ op: 'op-1', tool: 'look_up_account', result: { iban: SECRET } }] }
    expect(raised(handedOver([user], { policy: { redact: true } }, { record }))).toContain('sensitive-leaked')
    expect(raised(handedOver([user], withoutTools, { record }))).not.toContain('sensitive-leaked')
  })

  it('is silent when the filter worked, and on a whole history that crossed openly', () => {
    expect(raised(handedOver([user]))).not.toContain('sensitive-leaked')
    expect(raised(handedOver([user, call, result], {}))).not.toContain('sensitive-leaked')
    expect(raised(handedOver([user, call, result], { policy: { history: 'full' } }))).not.toContain(
      'sensitive-leaked',
    )
    expect(
      raised(handedOver([user, call, result], { policy: { filter: 'hide-transfer-messages' } })),
    ).not.toContain('sensitive-leaked')
  })

  it('is silent for the agent that looked the value up, and for a value too short to tell', () => {
    const home = judge(
      start(),
      lookUp(),
      ...crossed('h1', 'desk', 'fraud', [user], withoutTools),
      sent('h2', 'fraud', 'desk', { mode: 'return', ...withoutTools }),
      received('h2', 'desk', { items: [user, call, result, item.agent('a2', 'fraud', 'All fine.')] }),
      end(),
    )
    expect(raised(home)).not.toContain('sensitive-leaked')
    const short = judge(
      start(),
      lookUp({ sensitive: ['7'] }),
      sent('h1', 'desk', 'fraud', { items_before: [user, call, result], ...withoutTools }),
      received('h1', 'fraud', { items: [item.agent('a1', 'desk', 'Customer 7 asks.')] }),
      end(),
    )
    expect(raised(short)).not.toContain('sensitive-leaked')
  })
})

describe('item-orphaned', () => {
  const payload = (before: unknown[] | undefined, items: unknown[], ...entries: Parameters<typeof judge>) =>
    judge(
      start(),
      ...entries,
      sent('h1', 'desk', 'fraud', { items_before: before }),
      received('h1', 'fraud', { items }),
      end(),
    )

  it('is raised for either half of a call, whoever holds the other', () => {
    for (const before of [[user, call, result], [], undefined]) {
      expect(findingsOf(payload(before, [user, call], lookUp()), 'item-orphaned')).toHaveLength(1)
      expect(findingsOf(payload(before, [user, result], lookUp()), 'item-orphaned')).toHaveLength(1)
      expect(findingsOf(payload(before, [user, call, result], lookUp()), 'item-orphaned')).toEqual([])
    }
  })

  it('is raised for reasoning without what it needs', () => {
    const thought = { id: 'r1', type: 'reasoning', content: 'look it up', needs: 'i1' }
    expect(raised(payload([user, thought, call, result], [user, thought]))).toContain('item-orphaned')
    expect(raised(payload([user, thought, call, result], [user, call, result, thought]))).toContain(
      'item-reordered',
    )
    expect(raised(payload([user, thought, call, result], [user, thought, call, result]))).not.toContain(
      'item-orphaned',
    )
  })

  it('reads chat messages and content blocks', () => {
    const calls = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'k1', function: { name: 'f', arguments: '{}' } }],
    }
    const answer = { role: 'tool', tool_call_id: 'k1', content: 'ok' }
    expect(raised(payload([calls, answer], [calls]))).toContain('item-orphaned')
    expect(raised(payload([calls, answer], [calls, answer]))).not.toContain('item-orphaned')
  })

  it('is silent while the call waits: not settled then, a yes to come, or the delegation itself', () => {
    const wire = item.call('i5', 'c5', 'wire', { eur: 7 }, { op: 'op-5' })
    const pending = operation('desk', 'op-5', 'wire', { eur: 7 }, 'proposed', { call: 'c5' })
    const running = judge(
      start(),
      operation('desk', 'op-5', 'wire', { eur: 7 }, 'sent', { call: 'c5', key: 'w1' }),
      sent('h1', 'desk', 'fraud', { items_before: [user, wire] }),
      received('h1', 'fraud', { items: [user, wire] }),
      operation('fraud', 'op-5', 'wire', { eur: 7 }, 'settled', { call: 'c5', key: 'w1' }),
      end(),
    )
    expect(raised(running), 'settled only later').not.toContain('item-orphaned')
    expect(raised(payload([user, wire], [user, wire], pending))).not.toContain('item-orphaned')
    const asked = { id: 'ap', type: 'approval', approval: 'ap-5', for: 'c5', state: 'pending' }
    expect(raised(payload([user, wire], [user, wire, asked]))).not.toContain('item-orphaned')
    const delegation = judge(
      start(),
      sent('h1', 'desk', 'fraud', { mode: 'delegate', call: 'c5', items_before: [user, wire] }),
      received('h1', 'fraud', { items: [user, wire] }),
      end(),
    )
    expect(raised(delegation)).not.toContain('item-orphaned')
  })

  it('is silent for a hosted call that holds its own output, and for items that name no call', () => {
    const hosted = { type: 'mcp_call', id: 'm1', name: 'search', arguments: '{}', output: 'three hits' }
    const nameless = [{ functionCall: { name: 'f', args: {} } }]
    expect(raised(payload([hosted], [hosted]))).not.toContain('item-orphaned')
    expect(raised(payload([], [{ role: 'model', parts: nameless }]))).not.toContain('item-orphaned')
  })
})

describe('item-duplicated', () => {
  const payload = (before: unknown[] | undefined, items: unknown[]) =>
    judge(
      start(),
      sent('h1', 'desk', 'fraud', { items_before: before }),
      received('h1', 'fraud', { items }),
      end(),
    )
  const covering = {
    id: 's1',
    type: 'summary',
    role: 'assistant',
    content: 'told',
    covers: ['u1', 'i1', 'i2'],
  }

  it('is raised for what a summary covers and the receiver has raw as well', () => {
    expect(
      findingsOf(payload([user, call, result], [covering, call, result]), 'item-duplicated'),
    ).toHaveLength(1)
    expect(raised(payload(undefined, [covering, call, result]))).toContain('item-duplicated')
    expect(raised(payload([user, call, result], [covering]))).not.toContain('item-duplicated')
  })

  it('is raised for a summary that repeats the raw items word for word, without naming them', () => {
    const retold = {
      type: 'summary',
      content: 'user: Please check my last transfer. look_up_account -> paid on Monday',
    }
    const paid = item.result('i2', 'c1', 'paid on Monday')
    const next = item.user('u2', 'And the one before?')
    expect(raised(payload([user, call, paid, next], [retold, user, call, paid, next]))).toContain(
      'item-duplicated',
    )
    expect(raised(payload([user, call, paid, next], [retold, next])), 'one of them').not.toContain(
      'item-duplicated',
    )
    const recap = { type: 'summary', content: 'The user asked: "And the one before?" and waits.' }
    expect(raised(payload([user, next], [recap, next])), 'a quoted question').not.toContain('item-duplicated')
  })

  it('is raised for a transcript in a plain message that tells the raw items under their names', () => {
    const reply = item.agent('a1', 'desk', 'Which account is it?')
    const next = item.user('u2', 'The one ending in 51, please.')
    const transcript = {
      role: 'assistant',
      content:
        '<CONVERSATION HISTORY>\n1. user: Please check my last transfer.\n2. assistant: Which account is it?\n' +
        '3. user: The one ending in 51, please.\n</CONVERSATION HISTORY>',
    }
    const before = [user, reply, next]
    const [finding] = findingsOf(payload(before, [transcript, ...before]), 'item-duplicated')
    expect(finding?.remedy).toContain('not both')
    expect(raised(payload(before, [transcript, next])), 'and the last words').not.toContain('item-duplicated')
    const recap = {
      role: 'system',
      content:
        'So far:\nuser: Please check my last transfer.\nassistant: Which account is it?\nNow they go on.',
    }
    expect(raised(payload(before, [recap, ...before])), 'with more words behind').toContain('item-duplicated')
    const nested = { role: 'user', content: transcript.content }
    expect(raised(payload(before, [nested, ...before])), "in the user's role").toContain('item-duplicated')
    expect(raised(payload(before, [nested])), 'alone').not.toContain('item-duplicated')
    const report = { role: 'assistant', content: 'Status: open\nuser: Please check my last transfer.' }
    expect(raised(payload(before, [report, ...before])), 'one line').not.toContain('item-duplicated')
    const pasted = { role: 'user', content: transcript.content }
    expect(raised(payload(before, [...before, pasted])), 'pasted by the user').not.toContain(
      'item-duplicated',
    )
  })

  it('is raised for a transcript that tells a raw call and its result as JSON, by the id of the call', () => {
    const told = (id: string) => ({
      role: 'assistant',
      content:
        '<CONVERSATION HISTORY>\n1. user: Please check my last transfer.\n' +
        `2. function_call: {"name": "look_up_account", "arguments": "{\\"customer\\": 7}", "call_id": "${id}"}\n` +
        `3. function_call_output: {"call_id": "${id}", "output": "51"}\n</CONVERSATION HISTORY>`,
    })
    const pair = [
      { type: 'function_call', call_id: 'c1', name: 'look_up_account', arguments: '{"customer": 7}' },
      { type: 'function_call_output', call_id: 'c1', output: '51' },
    ]
    const before = [user, ...pair]
    expect(raised(payload(before, [told('c1'), ...pair]))).toContain('item-duplicated')
    expect(raised(payload(before, [told('c0'), ...pair])), 'an earlier call').not.toContain('item-duplicated')
    expect(raised(payload(before, [told('c1')])), 'alone').not.toContain('item-duplicated')
  })

  it('is raised for the same id, the same call and copied words', () => {
    expect(raised(payload([user], [user, user]))).toContain('item-duplicated')
    const again = item.call('i7', 'c1', 'look_up_account', { customer: 7 })
    expect(raised(payload([user, call, result], [user, call, again, result]))).toContain('item-duplicated')
    const copy = item.user('x9', 'Please check my last transfer.')
    expect(raised(payload([user], [copy, user]))).toContain('item-duplicated')
  })

  it('is silent when people repeat themselves, tools are called again, and a new turn is short', () => {
    const yes = { role: 'user', content: 'yes' }
    expect(raised(payload([yes, yes], [yes, yes]))).not.toContain('item-duplicated')
    expect(raised(payload([yes], [yes, item.user('u5', 'yes')]))).not.toContain('item-duplicated')
    const second = item.call('i3', 'c2', 'look_up_account', { customer: 7 })
    const its = item.result('i4', 'c2', 'the same')
    const list = [user, call, result, second, its]
    expect(raised(payload(list, list))).not.toContain('item-duplicated')
  })
})

describe('ordinary runs', () => {
  it('raise nothing: turns, parallel calls, a delegation that returns, a filter that drops tools', () => {
    const first = [user, call, result]
    const analysis = judge(
      start(),
      message('user', 'Please check my last transfer.', { id: 'u1' }),
      lookUp({ sensitive: [] }),
      ...crossed('h1', 'desk', 'fraud', first, { mode: 'delegate', brief: 'check the last transfer' }),
      read('fraud', 'op-2', 'list_transfers', { customer: 7 }, 'settled', {
        call: 'c2',
        result: ['t1', 't2'],
      }),
      ...crossed('h2', 'fraud', 'desk', [item.agent('f1', 'fraud', 'Nothing strange.')], { mode: 'return' }),
      message('assistant', 'Nothing strange was found.', { agent: 'desk' }),
      message('user', 'Close my account then.', { id: 'u2' }),
      sent('h3', 'desk', 'closing', {
        items_before: [
          ...first,
          item.agent('a1', 'desk', 'Nothing strange was found.'),
          item.user('u2', 'Close my account then.'),
        ],
        policy: { filter: 'remove-tools', history: 'full' },
      }),
      received('h3', 'closing', {
        items: [
          user,
          item.agent('a1', 'desk', 'Nothing strange was found.'),
          item.user('u2', 'Close my account then.'),
        ],
      }),
      message('assistant', 'Shall I close it today?', { agent: 'closing' }),
      end(),
    )
    expect(analysis.findings.filter(({ check }) => GROUP.has(check))).toEqual([])
  })
})

const GROUP = new Set(['sensitive-leaked', 'item-orphaned', 'item-duplicated'])
