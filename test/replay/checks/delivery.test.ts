import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
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

const user = item.user('u1', 'Renew my library card.')
const says = (agent: string, text: string, fields: object = {}) =>
  message('assistant', text, { agent, ...fields })
const write = (agent: string, op: string, tool = 'renew_card', state = 'settled') =>
  operation(agent, op, tool, { card: 12 }, state, { key: `k-${op}` })
const toClerk = sent('h1', 'front', 'clerk', { items_before: [user] })
const atClerk = received('h1', 'clerk', { items: [user] })

describe('received-without-sent', () => {
  it('is raised once for a handoff that nobody sent', () => {
    const analysis = judge(start(), atClerk, received('h1', 'clerk', { items: [user], attempt: 2 }), end())
    expect(findingsOf(analysis, 'received-without-sent')).toHaveLength(1)
    expect(raised(judge(start(), toClerk, atClerk, end()))).not.toContain('received-without-sent')
    expect(
      raised(judge(start(), toClerk, received('h1', 'clerk', { items: [user], attempt: 2 }), end())),
    ).not.toContain('received-without-sent')
  })
})

describe('delivered-twice', () => {
  it('is raised for one attempt received twice', () => {
    const other = received('h1', 'clerk', { items: [user], process: 'p2' })
    expect(raised(judge(start(), toClerk, atClerk, other, end()))).toContain('delivered-twice')
    expect(raised(judge(start(), toClerk, atClerk, { ...other, duplicate: true }, end()))).not.toContain(
      'delivered-twice',
    )
    const retry = [sent('h1', 'front', 'clerk', { attempt: 2 }), received('h1', 'clerk', { attempt: 2 })]
    expect(raised(judge(start(), toClerk, atClerk, ...retry, end()))).not.toContain('delivered-twice')
  })
})

describe('ack-late', () => {
  const accepted: Entry = { kind: 'handoff.accepted', handoff: 'h1', by: 'clerk' }
  const due = (ack_due: string, ...entries: Entry[]) =>
    raised(judge(start(), { ...toClerk, ack_due }, atClerk, ...entries, end()))

  it('is raised for a late acceptance, and for work without one', () => {
    for (const time of ['PT3S', '3s', '2030-05-06T08:00:05Z']) {
      expect(due(time, accepted), time).toContain('ack-late')
      expect(due(time, says('clerk', 'Renewed.')), time).toContain('ack-late')
    }
    expect(due('PT1M', accepted)).not.toContain('ack-late')
    // Date.parse reads a month out of it.
    expect(due('within shift 4', accepted)).not.toContain('ack-late')
    expect(due('PT1M', says('clerk', 'Renewed.'))).not.toContain('ack-late')
    expect(due('soon', accepted)).not.toContain('ack-late')
    expect(raised(judge(start(), toClerk, atClerk, says('clerk', 'Renewed.'), end()))).not.toContain(
      'ack-late',
    )
  })
})

describe('wrong-target', () => {
  const arriving = (to: string, by: string, fields: object = {}, startFields: object = {}) =>
    raised(
      judge(
        start(startFields),
        sent('h1', 'front', to, { items_before: [user], ...fields }),
        received('h1', by, { items: [user] }),
        end(),
      ),
    )

  it('is raised for another agent, in every mode', () => {
    for (const mode of ['transfer', 'delegate', 'return', 'resume', 'notify'])
      expect(arriving('clerk', 'guard', { mode }), mode).toContain('wrong-target')
  })

  it('is silent for instances, groups, people and declared roles', () => {
    for (const [to, by] of [
      ['clerk', 'clerk'],
      ['clerk', 'Clerk'],
      ['clerk', 'clerk-2'],
      ['clerk', 'clerk#7f3a'],
      ['queue:cards', 'guard'],
      ['human', 'anna'],
      ['group-cards', 'guard'],
    ]) {
      expect(arriving(to!, by!), `${to} ${by}`).not.toContain('wrong-target')
    }
    expect(arriving('cards', 'guard', { to_kind: 'queue' })).not.toContain('wrong-target')
    expect(arriving('cards', 'guard', {}, { agents: [{ name: 'guard', role: 'cards' }] })).not.toContain(
      'wrong-target',
    )
    expect(arriving('clerk', 'clerk-support')).toContain('wrong-target')
  })
})

describe('result-not-delivered', () => {
  const found = item.agent('c1', 'clerk', 'The card is valid until May.')
  const returning = (before: unknown[], items: unknown[], receipt: object = {}, work: Entry[] = []) =>
    raised(
      judge(
        start(),
        ...crossed('h1', 'front', 'clerk', [user], { mode: 'delegate', brief: 'renew' }),
        ...work,
        sent('h2', 'clerk', 'front', { mode: 'return', items_before: before }),
        received('h2', 'front', { items, ...receipt }),
        end(),
      ),
    )

  it('is raised when nothing of the answer came back', () => {
    expect(returning([found], [user])).toContain('result-not-delivered')
    expect(returning([user, found], [user])).toContain('result-not-delivered')
    const notice = [
      item.call('t1', 'c9', 'transfer_back_to_front'),
      item.result('t2', 'c9', 'transferred back'),
    ]
    expect(returning([found, ...notice], [user, ...notice])).toContain('result-not-delivered')
    const work = [read('clerk', 'op-1', 'card_state', { card: 12 }, 'settled', { result: 'valid' })]
    expect(returning([], [user], {}, work)).toContain('result-not-delivered')
  })

  it('is silent when it came in any form, or there was none', () => {
    expect(returning([found], [user, found])).not.toContain('result-not-delivered')
    expect(returning([found], [user, item.agent('x', 'clerk', 'Valid to May')])).not.toContain(
      'result-not-delivered',
    )
    expect(returning([found], [user, item.result('r', 'd1', 'The card is valid until May.')])).not.toContain(
      'result-not-delivered',
    )
    expect(returning([found], [user], { record: { status: { done: ['card renewed'] } } })).not.toContain(
      'result-not-delivered',
    )
    expect(returning([found], [{ type: 'summary', content: 'told', covers: ['c1'] }])).not.toContain(
      'result-not-delivered',
    )
    expect(returning([], [user])).not.toContain('result-not-delivered')
    expect(returning([user], [user])).not.toContain('result-not-delivered')
  })
})

describe('duplicate-write and view-diverged', () => {
  const store = (agent: string, content: unknown, fields: object = {}): Entry => ({
    kind: 'store.write',
    agent,
    store: 'thread-1',
    content,
    ...fields,
  })
  const turn = { role: 'assistant', content: 'Your card is renewed.' }

  it('are raised for the same content by two writers', () => {
    expect(raised(judge(start(), store('front', turn), store('runner', turn), end()))).toContain(
      'duplicate-write',
    )
    const stamped = (id: string) => ({ ...turn, id })
    expect(
      raised(judge(start(), store('front', stamped('a')), store('runner', stamped('b')), end())),
    ).toContain('duplicate-write')
    expect(
      raised(
        judge(
          start(),
          { ...store('', turn), agent: undefined, writer: 'p1' },
          { ...store('', turn), agent: undefined, writer: 'p2' },
          end(),
        ),
      ),
    ).toContain('duplicate-write')
  })

  it('are silent for one writer, other content, other stores, upserts and short values', () => {
    expect(raised(judge(start(), store('front', turn), store('front', turn), end()))).not.toContain(
      'duplicate-write',
    )
    expect(
      raised(judge(start(), store('front', turn), store('runner', { ...turn, content: 'Renewed.' }), end())),
    ).not.toContain('duplicate-write')
    expect(
      raised(judge(start(), store('front', turn), store('runner', turn, { store: 'audit' }), end())),
    ).not.toContain('duplicate-write')
    expect(
      raised(judge(start(), store('front', turn), store('runner', turn, { upsert: true }), end())),
    ).not.toContain('duplicate-write')
    expect(raised(judge(start(), store('front', 'done'), store('runner', 'done'), end()))).not.toContain(
      'duplicate-write',
    )
  })

  const shot = (view: string, messages: unknown, fields: object = {}): Entry => ({
    kind: 'snapshot',
    view,
    messages,
    ...fields,
  })

  it('are raised when two views of the same moment differ', () => {
    expect(raised(judge(start(), shot('parent', [turn]), shot('child', []), end()))).toContain(
      'view-diverged',
    )
    expect(raised(judge(start(), shot('parent', [turn]), shot('child', [turn]), end()))).not.toContain(
      'view-diverged',
    )
    expect(
      raised(judge(start(), shot('parent', []), says('front', 'Renewed.'), shot('child', [turn]), end())),
    ).not.toContain('view-diverged')
    expect(
      raised(
        judge(start(), shot('parent', [turn], { thread: 't1' }), shot('child', [], { thread: 't2' }), end()),
      ),
    ).not.toContain('view-diverged')
    const own = (agent: string, content: string): Entry => ({ kind: 'snapshot', agent, content })
    expect(
      raised(judge(start(), own('front', 'my notes'), own('clerk', 'other notes'), end())),
    ).not.toContain('view-diverged')
  })

  it('are raised for final states that differ, and for a store that stays behind', () => {
    const task = (view: string, state: string): Entry => ({ kind: 'task.state', task: 't1', view, state })
    expect(raised(judge(start(), task('server', 'completed'), task('client', 'failed'), end()))).toContain(
      'view-diverged',
    )
    expect(
      raised(
        judge(start(), task('server', 'working'), task('client', 'completed'), task('server', 'done'), end()),
      ),
    ).not.toContain('view-diverged')
    const failed: Entry = { kind: 'store.failed', agent: 'front', store: 'thread-1', error: 'disk full' }
    expect(raised(judge(start(), failed, says('front', 'Renewed.'), end()))).toContain('view-diverged')
    expect(
      raised(judge(start(), failed, store('front', turn), says('front', 'Renewed.'), end())),
    ).not.toContain('view-diverged')
  })
})

describe('dead-letter-incomplete', () => {
  const whole = { reason: 'nobody answered', attempts: 3, last_status: 'timeout' }
  const dead = (fields: object, before: object = { record: { intent: 'renew' } }) =>
    raised(
      judge(
        start(),
        sent('h1', 'front', 'clerk', before),
        { kind: 'handoff.dead_lettered', handoff: 'h1', ...fields },
        end(),
      ),
    )

  it('is raised for each part that is missing', () => {
    expect(dead(whole)).not.toContain('dead-letter-incomplete')
    for (const part of Object.keys(whole))
      expect(dead({ ...whole, [part]: undefined }), part).toContain('dead-letter-incomplete')
    expect(dead(whole, { items_before: [] })).toContain('dead-letter-incomplete')
    expect(dead({ ...whole, record: { intent: 'renew' } }, { items_before: [] })).not.toContain(
      'dead-letter-incomplete',
    )
  })

  it('is raised when its own contract leaves out the id under which the task was sent', () => {
    const own = { ...whole, record: { intent: 'renew' } }
    for (const before of [
      { record: { intent: 'renew', correlation_id: 'c-81' } },
      { task: { id: 't-4', context: 'x-2' } },
      { task: 't-4' },
    ])
      expect(dead(own, before), JSON.stringify(before)).toContain('dead-letter-incomplete')
    const known = [
      [{ ...own, correlation_id: 'c-81' }, 'c-81'],
      [{ ...own, record: { intent: 'renew', correlation_id: 'c-81' } }, 'c-81'],
      [own, 'run-1'],
      // It points to what was sent, and that has the id.
      [whole, 'c-81'],
    ] as const
    for (const [letter, correlation_id] of known)
      expect(
        dead(letter, { record: { intent: 'renew', correlation_id } }),
        JSON.stringify(letter),
      ).not.toContain('dead-letter-incomplete')
    expect(dead({ ...whole, task: { id: 't-4' } }, { task: { id: 't-4', context: 'x-2' } })).not.toContain(
      'dead-letter-incomplete',
    )
  })
})

describe('declined-without-owner', () => {
  const declined: Entry = { kind: 'handoff.declined', handoff: 'h1', by: 'clerk', reason: 'not my counter' }
  const followedBy = (...entries: Entry[]) => raised(judge(start(), toClerk, atClerk, declined, ...entries))

  it('is raised when nobody takes the task up by the end', () => {
    expect(followedBy(end())).toContain('declined-without-owner')
    expect(followedBy(says('clerk', 'I cannot do that.'), end())).toContain('declined-without-owner')
    expect(followedBy()).not.toContain('declined-without-owner')
    expect(followedBy(says('front', 'Then I do it.'), end())).not.toContain('declined-without-owner')
    expect(followedBy(...crossed('h2', 'front', 'guard', [user]), end())).not.toContain(
      'declined-without-owner',
    )
    expect(
      followedBy({ kind: 'handoff.dead_lettered', handoff: 'h1', reason: 'declined' }, end()),
    ).not.toContain('declined-without-owner')
  })
})

describe('verdicts', () => {
  const asks = (requested_action: string, fields: object = {}) => [
    sent('h1', 'front', 'clerk', { items_before: [user], requested_action, ...fields }),
    atClerk,
  ]
  const verdict = (word: string): Entry => ({
    kind: 'handoff.verdict',
    handoff: 'h1',
    by: 'clerk',
    verdict: word,
  })

  it('are missing when the run ends without one', () => {
    for (const action of ['review', 'approve']) {
      expect(raised(judge(start(), ...asks(action), end())), action).toContain('verdict-missing')
      expect(raised(judge(start(), ...asks(action), verdict('acknowledge'), end())), action).not.toContain(
        'verdict-missing',
      )
      expect(raised(judge(start(), ...asks(action))), action).not.toContain('verdict-missing')
      expect(
        raised(judge(start(), ...asks(action, { ack_due: '1s' }), says('clerk', 'hm'))),
        action,
      ).toContain('verdict-missing')
    }
    expect(raised(judge(start(), ...asks('continue'), end()))).not.toContain('verdict-missing')
    const inRecord = sent('h1', 'front', 'clerk', {
      items_before: [user],
      record: { requested_action: 'approve' },
    })
    expect(raised(judge(start(), inRecord, atClerk, end()))).toContain('verdict-missing')
    const returned = sent('h2', 'clerk', 'front', { mode: 'return', verdict: 'approve' })
    expect(raised(judge(start(), ...asks('review'), returned, received('h2', 'front'), end()))).not.toContain(
      'verdict-missing',
    )
  })

  it('are ignored when the action runs all the same', () => {
    const record = { next_action: 'renew_card for card 12' }
    const ran = (word: string, action: string, fields: object, ...entries: Entry[]) =>
      raised(judge(start(), ...asks(action, fields), verdict(word), ...entries, end()))
    for (const word of ['block', 'request_changes', 'Rejected']) {
      expect(ran(word, 'approve', { record }, write('front', 'op-1')), word).toContain('verdict-ignored')
      expect(ran(word, 'approve', {}, write('front', 'op-1')), word).toContain('verdict-ignored')
      expect(ran(word, 'review', { record }, write('clerk', 'op-1')), word).toContain('verdict-ignored')
    }
    expect(ran('block', 'review', { brief: 'may I renew_card?' }, write('front', 'op-1'))).toContain(
      'verdict-ignored',
    )
    const proposed = judge(
      start(),
      write('front', 'op-1', 'renew_card', 'proposed'),
      ...asks('review'),
      verdict('block'),
      write('front', 'op-1'),
      end(),
    )
    expect(raised(proposed)).toContain('verdict-ignored')
  })

  it('are kept by approval, rework, other work and new words of the user', () => {
    const record = { next_action: 'renew_card for card 12' }
    const ran = (word: string, action: string, fields: object, ...entries: Entry[]) =>
      raised(judge(start(), ...asks(action, fields), verdict(word), ...entries, end()))
    expect(ran('approve', 'approve', { record }, write('front', 'op-1'))).not.toContain('verdict-ignored')
    expect(
      ran('request_changes', 'approve', { record }, verdict('approve'), write('front', 'op-1')),
    ).not.toContain('verdict-ignored')
    expect(ran('request_changes', 'approve', { record }, write('front', 'op-1', 'edit_form'))).not.toContain(
      'verdict-ignored',
    )
    expect(ran('request_changes', 'review', {}, write('front', 'op-1', 'edit_form'))).not.toContain(
      'verdict-ignored',
    )
    expect(
      ran(
        'block',
        'approve',
        { record },
        message('user', 'Do it anyway, I take it on me.'),
        write('front', 'op-1'),
      ),
    ).not.toContain('verdict-ignored')
    const resubmitted = [
      write('front', 'op-1', 'edit_form'),
      sent('h2', 'front', 'clerk', { items_before: [user], requested_action: 'approve' }),
      received('h2', 'clerk', { items: [user] }),
      { kind: 'handoff.verdict', handoff: 'h2', by: 'clerk', verdict: 'approve' },
      write('front', 'op-2'),
    ]
    expect(ran('request_changes', 'approve', {}, ...resubmitted)).not.toContain('verdict-ignored')
  })
})

describe('correlation', () => {
  const sides = (from: object, to: object) =>
    raised(
      judge(
        start(),
        sent('h1', 'front', 'clerk', { items_before: [user], ...from }),
        received('h1', 'clerk', { items: [user], ...to }),
        end(),
      ),
    )

  it('is broken by another trace without a link, and by another id of the task', () => {
    expect(sides({ trace: { id: 'aa01' } }, { trace: { id: 'bb02' } })).toContain('trace-broken')
    expect(sides({ trace: { id: 'aa01' } }, { trace: { id: 'AA01' } })).not.toContain('trace-broken')
    expect(
      sides({ trace: { id: 'aa01' } }, { trace: { id: 'bb02', links: [{ id: 'aa01' }] } }),
    ).not.toContain('trace-broken')
    expect(sides({ trace: { id: 'aa01' } }, {})).not.toContain('trace-broken')
    expect(sides({ task: { id: 't1', context: 'x1' } }, { task: { id: 't1', context: 'x2' } })).toContain(
      'correlation-lost',
    )
    expect(sides({ task: { id: 't1', context: 'x1' } }, { task: { id: 't1', context: 'x1' } })).not.toContain(
      'correlation-lost',
    )
    expect(sides({ record: { correlation_id: 'r7' } }, { record: { intent: 'renew' } })).toContain(
      'correlation-lost',
    )
    expect(sides({ record: { correlation_id: 'r7' } }, { record: { correlation_id: 'r7' } })).not.toContain(
      'correlation-lost',
    )
  })

  it('is not opaque where an id tells of people or content', () => {
    for (const id of ['anna.berg@mail.example', 'renew card of Anna', 'call +49 170 1234567']) {
      expect(sides({ task: id }, { task: id }), id).toContain('correlation-not-opaque')
      expect(sides({ record: { correlation_id: id } }, { record: { correlation_id: id } }), id).toContain(
        'correlation-not-opaque',
      )
    }
    const named = judge(
      start({ principal: { kind: 'human', id: 'anna.berg' } }),
      ...crossed('h1', 'front', 'clerk', [user], { task: 'case-anna-berg-7' }),
      end(),
    )
    expect(raised(named)).toContain('correlation-not-opaque')
    for (const id of [
      't-17',
      '4bf92f3577b34da6a3ce929d0e0e4736',
      '01J9ZQ3T5X8N',
      'order-4711',
      'invoice 4711',
    ]) {
      expect(sides({ task: id }, { task: id }), id).not.toContain('correlation-not-opaque')
    }
  })
})

describe('the words after a transfer', () => {
  const hello = says('front', 'Good morning, city library, what can I do?', { intent: 'greeting' })
  const wish = message('user', 'Renew my library card.', {
    agent: 'front',
    id: 'u1',
    gives: { topic: 'card' },
  })
  const talk = (...after: Entry[]) => raised(judge(start(), hello, wish, toClerk, atClerk, ...after, end()))

  it('greet again: by intent, by a word of greeting, by the same opening', () => {
    for (const text of [
      'Hello, this is the clerk.',
      'Guten Tag, hier ist die Ausleihe.',
      '¡Hola! Soy Ana.',
      'Bonjour, je vous écoute.',
      'こんにちは、図書館です。',
      '您好，这里是图书馆。',
    ]) {
      expect(talk(says('clerk', text)), text).toContain('re-greet')
    }
    expect(talk(says('clerk', 'What brings you here?', { intent: 'greeting' }))).toContain('re-greet')
    const same = judge(
      start(),
      says('front', 'City library, what is it about?'),
      wish,
      toClerk,
      atClerk,
      says('clerk', 'City library, what is it about?'),
      end(),
    )
    // What was said first need not be a greeting: the message does not call it one.
    expect(findingsOf(same, 're-greet')[0]?.message).toMatch(
      /clerk opens with "City library, what is it about\?", although front had opened with the same words already\./,
    )
    const inItems = [item.agent('a1', 'front', 'Hello, city library.'), user]
    expect(
      raised(
        judge(
          start(),
          ...crossed('h1', 'front', 'clerk', inItems),
          says('clerk', 'Hello, the clerk here.'),
          end(),
        ),
      ),
    ).toContain('re-greet')
  })

  it('are no greeting when they go on, answer one, or open the conversation', () => {
    expect(talk(says('clerk', 'Clerk here: the card is it. Until May?'))).not.toContain('re-greet')
    expect(talk(says('clerk', 'History books are on floor two.'))).not.toContain('re-greet')
    expect(
      talk(message('user', 'Hello clerk.'), says('clerk', 'Hello, I renew the card now.')),
    ).not.toContain('re-greet')
    expect(
      raised(judge(start(), wish, toClerk, atClerk, says('clerk', 'Hello, I renew the card.'), end())),
    ).not.toContain('re-greet')
    const helper = judge(
      start(),
      hello,
      wish,
      ...crossed('h1', 'front', 'clerk', [user], { mode: 'delegate' }),
      says('clerk', 'Hello front, done.'),
      end(),
    )
    expect(raised(helper)).not.toContain('re-greet')
    expect(talk(says('clerk', 'It is renewed.'), says('clerk', 'Hello again?'))).not.toContain('re-greet')
  })

  it('are no greeting where a helper was asked for words that greet', () => {
    const wish = message('user', 'Good morning, in German please?', { agent: 'front', id: 'u1' })
    const toHelper = crossed('h1', 'front', 'german', [user], { mode: 'delegate', brief: 'translate' })
    const back = (items: unknown[]) => crossed('h2', 'german', 'front', items, { mode: 'return' })
    const asked = [wish, ...toHelper, says('german', 'Guten Morgen')]
    const answered = back([item.agent('m', 'german', 'Guten Morgen')])
    const told = (...entries: Entry[]) => raised(judge(start(), ...entries, end()))
    // To its caller only, so that the caller's own greeting is the first one.
    expect(told(...asked, ...answered, says('front', 'Hello, here it comes.'))).not.toContain('re-greet')
    // Handed out by a caller that had greeted before.
    expect(told(hello, ...asked, ...answered, says('front', 'Guten Morgen'))).not.toContain('re-greet')
    expect(told(hello, ...asked, ...answered, says('front', 'Hello, city library.'))).toContain('re-greet')
  })

  it('ask again for what was given or answered', () => {
    expect(talk(says('clerk', 'What is it about?', { asks: 'topic' }))).toContain('re-ask')
    expect(talk(says('clerk', 'Topic and name, please.', { asks: ['name', 'topic'] }))).toContain('re-ask')
    const number = says('front', 'What is the number of your card?')
    const tells = message('user', 'Twelve.', { agent: 'front' })
    const asked = (text: string, ...between: Entry[]) =>
      raised(judge(start(), number, ...between, toClerk, atClerk, says('clerk', text), end()))
    expect(asked('Thank you. What is the number of your card?', tells)).toContain('re-ask')
    expect(asked('What is the number of your card?')).not.toContain('re-ask')
    expect(asked('Is the number twelve?', tells)).not.toContain('re-ask')
    expect(talk(says('clerk', 'Your name, please?', { asks: 'name' }))).not.toContain('re-ask')
    expect(talk(says('clerk', 'Shall I?', { asks: 'approval:topic' }))).not.toContain('re-ask')
    const order = message('user', 'It is order 5511.', { agent: 'front', gives: { order: 5511 } })
    const orderAsked = (text: string) =>
      raised(judge(start(), order, toClerk, atClerk, says('clerk', text, { asks: 'order' }), end()))
    expect(orderAsked('There is no 5511. Which order is it?')).not.toContain('re-ask')
    expect(orderAsked('Which order is it?')).toContain('re-ask')
    const closing = says('front', 'Is there anything else I can help with?')
    const again = judge(
      start(),
      closing,
      tells,
      toClerk,
      atClerk,
      says('clerk', 'Is there anything else I can help with?'),
      end(),
    )
    expect(raised(again)).not.toContain('re-ask')
    const later = talk(
      says('clerk', 'Name?'),
      message('user', 'Anna', { gives: { name: 'Anna' } }),
      says('clerk', 'Spell the name, please.', { asks: 'name' }),
    )
    expect(later).not.toContain('re-ask')
  })

  it('announce the transfer a second time', () => {
    const announced = says('front', 'I am passing you on to our clerk now.', { intent: 'announce-transfer' })
    const twice = (text: string, fields: object = {}, ...more: Entry[]) =>
      raised(
        judge(start(), hello, wish, announced, toClerk, atClerk, says('clerk', text, fields), ...more, end()),
      )
    expect(twice('You are being connected.', { intent: 'announce-transfer' })).toContain(
      'receiver-reannounces',
    )
    expect(twice('I am passing you on to our clerk now!')).toContain('receiver-reannounces')
    expect(twice('Your card is renewed until May.')).not.toContain('receiver-reannounces')
    const own = crossed('h2', 'clerk', 'guard', [user])
    expect(twice('I am passing you on to the guard.', { intent: 'announce-transfer' }, ...own)).not.toContain(
      'receiver-reannounces',
    )
    const silent = judge(
      start(),
      hello,
      wish,
      toClerk,
      atClerk,
      says('clerk', 'You are connected.', { intent: 'announce-transfer' }),
      end(),
    )
    expect(raised(silent)).not.toContain('receiver-reannounces')
  })
})
