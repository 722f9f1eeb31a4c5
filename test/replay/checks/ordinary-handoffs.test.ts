import { expect, it } from 'vitest'
import { custodyAndFailurePath } from '../../../replay/catalogue/custody-and-failure-path.ts'
import { wordsAndItems } from '../../../replay/catalogue/words-and-items.ts'
import {
  crossed,
  type Entry,
  end,
  item,
  judge,
  message,
  operation,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

const says = (agent: string, text: string, fields: object = {}) =>
  message('assistant', text, { agent, ...fields })
const asks = (agent: string, id: string, text: string) => message('user', text, { agent, id })
const runs: Record<string, Entry[]> = {
  supervisorByTransfer: [
    start({ agents: [{ name: 'sup' }, { name: 'math' }, { name: 'web' }] }),
    asks('sup', 'u1', 'How many people live in the three largest cities together?'),
    ...crossed(
      'h1',
      'sup',
      'web',
      [
        item.user('u1', 'How many people live in the three largest cities together?'),
        item.call('t1', 'x1', 'transfer_to_web'),
        item.result('t1r', 'x1', 'Successfully transferred to web'),
      ],
      { reason: 'search' },
    ),
    read('web', 'o1', 'search', { q: 'city a' }, 'settled', { call: 'w1', result: '3.7m' }),
    read('web', 'o2', 'search', { q: 'city b' }, 'settled', { call: 'w2', result: '1.9m' }),
    ...crossed(
      'h2',
      'web',
      'sup',
      [
        item.user('u1', 'How many people live in the three largest cities together?'),
        item.agent('a1', 'web', 'A has 3.7m and B 1.9m.'),
      ],
      { mode: 'return', reason: 'done' },
    ),
    ...crossed(
      'h3',
      'sup',
      'web',
      [
        item.user('u1', 'How many people live in the three largest cities together?'),
        item.agent('a1', 'web', 'A has 3.7m and B 1.9m.'),
      ],
      { reason: 'search' },
    ),
    read('web', 'o3', 'search', { q: 'city c' }, 'settled', { call: 'w3', result: '1.5m' }),
    ...crossed('h4', 'web', 'sup', [item.agent('a2', 'web', 'C has 1.5m.')], {
      mode: 'return',
      reason: 'done',
    }),
    ...crossed('h5', 'sup', 'math', [item.agent('a2', 'web', 'C has 1.5m.')], { reason: 'add' }),
    ...crossed('h6', 'math', 'sup', [item.agent('a3', 'math', '7.1m')], { mode: 'return', reason: 'done' }),
    says('sup', 'Together about 7.1 million.'),
    end(),
  ],
  backgroundHelper: [
    start(),
    asks('host', 'u1', 'Find the deed, please.'),
    ...crossed('h1', 'host', 'digger', [item.user('b1', 'find the deed')], {
      mode: 'delegate',
      brief: 'find the deed',
      background: true,
    }),
    says('host', 'I am on it.'),
    asks('host', 'u2', 'And the weather?'),
    read('host', 'o1', 'weather', { city: 'x' }, 'settled', { result: 'rain' }),
    says('host', 'It rains.'),
    read('digger', 'o2', 'search', { plot: 9 }, 'settled', { result: 'deed 4' }),
    ...crossed('h2', 'digger', 'host', [item.agent('d1', 'digger', 'deed 4')], { mode: 'return' }),
    says('host', 'It is deed 4.'),
    end(),
  ],
  retriesAndRestart: [
    start(),
    asks('a', 'u1', 'Send the parcel.'),
    sent('h1', 'a', 'b', {
      items_before: [item.user('u1', 'Send the parcel.')],
      attempt: 1,
      record: { correlation_id: 'r1' },
    }),
    { kind: 'handoff.failed', handoff: 'h1', attempt: 1, outcome: 'unknown', error: 'timeout' },
    sent('h1', 'a', 'b', {
      items_before: [item.user('u1', 'Send the parcel.')],
      attempt: 2,
      record: { correlation_id: 'r1' },
    }),
    received('h1', 'b', {
      items: [item.user('u1', 'Send the parcel.')],
      attempt: 2,
      record: { correlation_id: 'r1' },
    }),
    { kind: 'handoff.accepted', handoff: 'h1', attempt: 2, by: 'b' },
    operation('b', 'o1', 'send', { p: 1 }, 'sent', { key: 'k1' }),
    { kind: 'process.crash', agent: 'b' },
    sent('h2', 'b', 'b', {
      mode: 'resume',
      items_before: [item.user('u1', 'Send the parcel.')],
      record: { open_operations: [{ op: 'o1', tool: 'send', args: { p: 1 }, key: 'k1', state: 'sent' }] },
    }),
    received('h2', 'b', {
      items: [item.user('u1', 'Send the parcel.')],
      record: { open_operations: [{ op: 'o1', tool: 'send', args: { p: 1 }, key: 'k1', state: 'sent' }] },
    }),
    operation('b', 'o1', 'send', { p: 1 }, 'settled', { key: 'k1', result: 'ok', by: 'key' }),
    says('b', 'It is on its way.'),
    end(),
  ],
  review: [
    start(),
    asks('dev', 'u1', 'Publish the page.'),
    operation('dev', 'o1', 'edit_page', { p: 1, t: 'x' }, 'settled', { key: 'e1', result: 'ok' }),
    ...crossed('h1', 'dev', 'rev', [item.user('u1', 'Publish the page.')], {
      mode: 'delegate',
      requested_action: 'approve',
      record: { next_action: 'publish_page' },
    }),
    { kind: 'handoff.verdict', handoff: 'h1', by: 'rev', verdict: 'request_changes', comments: 'typo' },
    operation('dev', 'o2', 'edit_page', { p: 1, t: 'y' }, 'settled', { key: 'e2', result: 'ok' }),
    ...crossed('h2', 'dev', 'rev', [item.user('u1', 'Publish the page.')], {
      mode: 'delegate',
      requested_action: 'approve',
      record: { next_action: 'publish_page' },
    }),
    { kind: 'handoff.verdict', handoff: 'h2', by: 'rev', verdict: 'approve' },
    operation('dev', 'o3', 'publish_page', { p: 1 }, 'settled', { key: 'p1', result: 'live' }),
    says('dev', 'It is live.'),
    end(),
  ],
  humanInTheLoop: [
    start(),
    asks('bot', 'u1', 'I want to talk to a person.'),
    says('bot', 'I am passing you on to a colleague.', { intent: 'announce-transfer' }),
    ...crossed('h1', 'bot', 'human:anna', [item.user('u1', 'I want to talk to a person.')], {
      mode: 'escalate',
    }),
    says('bot', 'She will be here in a moment.'),
    says('human:anna', 'Good day, Anna speaking. What is it about?'),
    asks('human:anna', 'u2', 'My bill.'),
    says('human:anna', 'That is settled now.'),
    ...crossed(
      'h2',
      'human:anna',
      'bot',
      [item.user('u2', 'My bill.'), item.agent('x', 'human:anna', 'That is settled now.')],
      { mode: 'return' },
    ),
    says('bot', 'Can I do anything else?'),
    end(),
  ],
  chat: [
    start(),
    ...Array.from({ length: 40 }, (_, n) => {
      const a = ['front', 'billing', 'tech'][n % 3]!
      const b = ['front', 'billing', 'tech'][(n + 1) % 3]!
      const history = Array.from({ length: n + 1 }, (_, k) => [
        item.user(`u${k}`, k % 2 ? 'yes' : `Question ${k} about my line?`),
        item.agent(`a${k}`, ['front', 'billing', 'tech'][k % 3]!, `Answer ${k}: see page ${k}.`),
      ]).flat()
      return [
        asks(a, `u${n}`, n % 2 ? 'yes' : `Question ${n} about my line?`),
        read(a, `o${n}`, 'page', { n }, 'settled', { call: `c${n}`, result: `page ${n}` }),
        says(a, `Answer ${n}: see page ${n}.`),
        sent(`h${n}`, a, b, {
          items_before: [
            ...history,
            item.call(`tc${n}`, `t${n}`, `transfer_to_${b}`),
            item.result(`tr${n}`, `t${n}`, 'ok'),
          ],
          reason: 'next part',
          policy: { filter: 'remove-tools' },
          tokens: 200 + n * 60,
        }),
        received(`h${n}`, b, { items: history, tokens: 200 + n * 60, instructions: `You are ${b}.` }),
      ]
    }).flat(),
    end(),
  ],
  parallel: [
    start(),
    asks('lead', 'u1', 'Compare the three offers.'),
    ...['n', 's', 'w'].map((x) =>
      sent(`d${x}`, 'lead', `worker`, {
        mode: 'delegate',
        brief: `read offer ${x}`,
        items_before: [item.user('u1', 'Compare the three offers.')],
        call: `c${x}`,
      }),
    ),
    ...['n', 's', 'w'].map((x) =>
      received(`d${x}`, 'worker', { items: [item.user(`b${x}`, `read offer ${x}`)] }),
    ),
    ...['n', 's', 'w'].map((x) =>
      read('worker', `o${x}`, 'read_offer', { x }, 'settled', { result: `offer ${x}: ${x.charCodeAt(0)}` }),
    ),
    ...['n', 's', 'w'].flatMap((x) =>
      crossed(
        `r${x}`,
        'worker',
        'lead',
        [item.agent(`m${x}`, 'worker', `Offer ${x} costs ${x.charCodeAt(0)}`)],
        { mode: 'return' },
      ),
    ),
    says('lead', 'The northern one is the cheapest.'),
    end(),
  ],
}
const ids = new Set([...wordsAndItems.checks, ...custodyAndFailurePath.checks].map(({ id }) => id))

// Each run is sound: what it does only looks like a fault to a check that reads too quickly.
for (const [name, entries] of Object.entries(runs)) {
  it(`raises nothing about words, items and custody: ${name}`, () => {
    const analysis = judge(...entries)
    expect(analysis.findings.filter(({ check }) => ids.has(check)).map(({ message }) => message)).toEqual([])
    expect(analysis.notJudged.filter(({ check }) => ids.has(check))).toEqual([])
  })
}
