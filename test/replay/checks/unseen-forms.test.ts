import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
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

/*
 * Faults in forms that a first reading of the log passes over, each with its innocent twin. They came from cases that
 * somebody wrote from the definitions alone, without the checks.
 */

const user = item.user('u1', 'Who ships twelve tons to Oslo for least?')
const call = item.call('i1', 'c1', 'compare_rates', { lane: 'HAM-OSL' })
const result = item.result('i2', 'c1', 'A 1980, B 1415')
const conclusion = item.agent('a1', 'scout', 'Carrier B is the cheapest by far.')

const rates = (...entries: Entry[]) =>
  raised(
    judge(
      start(),
      read('scout', 'op-1', 'compare_rates', { lane: 'HAM-OSL' }, 'settled', {
        call: 'c1',
        result: 'A 1980, B 1415',
      }),
      ...entries,
      end(),
    ),
  )

describe('a conclusion without its source', () => {
  const before = { items_before: [user, call, result, conclusion] }

  it('is raised when the last words cross and what they follow does not', () => {
    const lost = rates(
      sent('h1', 'scout', 'agent', before),
      received('h1', 'agent', { items: [user, conclusion] }),
    )
    expect(lost).toContain('evidence-missing')
  })

  it('is silent when the result crosses, a filter removes it, or the call never settled', () => {
    const whole = { items: before.items_before }
    expect(rates(sent('h1', 'scout', 'agent', before), received('h1', 'agent', whole))).toEqual([])
    const filtered = { ...before, policy: { filter: 'remove-tools' } }
    const words = { items: [user, conclusion] }
    expect(rates(sent('h1', 'scout', 'agent', filtered), received('h1', 'agent', words))).toEqual([])
    const inDoubt = judge(
      start(),
      operation('scout', 'op-1', 'compare_rates', {}, 'unknown', { call: 'c1', key: 'k-1' }),
      sent('h1', 'scout', 'agent', before),
      received('h1', 'agent', words),
      end(),
    )
    expect(raised(inDoubt)).not.toContain('evidence-missing')
  })
})

describe('a question that follows a result', () => {
  const asked = (text: string) => {
    const last = item.agent('a1', 'scout', text)
    return rates(
      sent('h1', 'scout', 'agent', { items_before: [user, call, result, last] }),
      received('h1', 'agent', { items: [user, last] }),
    )
  }

  it.each([
    'Which of the two do you mean?',
    'Shall I book? Or wait until May?',
    '¿Cuál prefiere?',
    '哪一个？',
  ])('concludes nothing: %s', (text) => {
    expect(asked(text)).not.toContain('evidence-missing')
  })

  it.each([
    'B is the cheapest. Shall I book it?',
    'Shall I book it? B is the cheapest',
    'Do you want the one for 1415?',
  ])('concludes with what it says besides, or quotes: %s', (text) => {
    expect(asked(text)).toContain('evidence-missing')
  })
})

describe('reasoning that crossed alone', () => {
  const thought = { id: 'rs_1', type: 'reasoning', summary: [] }
  const crossing = (items: unknown[]) =>
    rates(
      sent('h1', 'scout', 'agent', {
        items_before: [user, thought, call, result, conclusion],
        policy: { filter: 'remove-tools' },
      }),
      received('h1', 'agent', { items }),
    )

  it('is an orphan without the call behind it', () => {
    expect(crossing([user, thought, conclusion])).toContain('item-orphaned')
  })

  it('is none with its call, nor where both stayed behind', () => {
    expect(crossing([user, thought, call, result, conclusion])).not.toContain('item-orphaned')
    expect(crossing([user, conclusion])).toEqual([])
  })
})

describe('one task for two workers', () => {
  const task = { task: { id: 't-5' }, mode: 'delegate', brief: 'Write the report on outage 7.' }
  const given = [item.user('b1', 'Write the report on outage 7.')]
  const draft = (agent: string, op: string) =>
    operation(agent, op, 'draft_report', { outage: 7 }, 'settled', { key: 'rep-7', result: 'draft 1' })
  const twice = (between: Entry[], first: Entry[], second: Entry[]) =>
    raised(
      judge(
        start(),
        sent('h1', 'host', 'worker-a', task),
        received('h1', 'worker-a', { items: given, task: task.task }),
        ...first,
        ...between,
        sent('h2', 'host', 'worker-b', task),
        received('h2', 'worker-b', { items: given, task: task.task }),
        ...second,
        end(),
      ),
    )
  const expired = { kind: 'control.lease_expired', agent: 'host', task: 't-5' }

  it('is raised when its time ran out and both do it, under one key too', () => {
    expect(twice([expired], [], [draft('worker-a', 'op-1'), draft('worker-b', 'op-2')])).toEqual(
      expect.arrayContaining(['redundant-delegation', 'two-active']),
    )
  })

  it('is silent for a second opinion, and for one that takes over where the first stopped', () => {
    const opinions = [
      message('assistant', 'The pump failed.', { agent: 'worker-a' }),
      message('assistant', 'The valve failed.', { agent: 'worker-b' }),
    ]
    expect(twice([], [], opinions)).not.toEqual(expect.arrayContaining(['redundant-delegation']))
    const stopped = twice(
      [{ kind: 'process.crash', agent: 'worker-a' }],
      [draft('worker-a', 'op-1')],
      [draft('worker-b', 'op-2')],
    )
    expect(stopped).not.toContain('two-active')
  })
})

describe('a payload that runs away', () => {
  const chain = (words: (hop: number) => number) =>
    raised(
      judge(
        start(),
        ...[1, 2, 3, 4].flatMap((hop) => {
          const items = Array.from({ length: words(hop) }, (_, index) =>
            item.agent(
              `n${hop}-${index}`,
              `stage${hop}`,
              `note ${hop}.${index} says something that is new here`,
            ),
          )
          const payload = [item.user('u1', 'Plan the expedition.'), ...items]
          return [
            sent(`h${hop}`, `stage${hop}`, `stage${hop + 1}`, { items_before: payload }),
            received(`h${hop}`, `stage${hop + 1}`, { items: payload }),
          ]
        }),
        end(),
      ),
    )

  it('is raised when it doubles at every hop to ten thousand tokens, however new the words are', () => {
    expect(chain((hop) => 20 * 4 ** hop)).toContain('payload-growth')
  })

  it('is silent while it is small, or grows slower', () => {
    expect(chain((hop) => 2 ** hop)).not.toContain('payload-growth')
    expect(chain((hop) => 500 + 300 * hop)).not.toContain('payload-growth')
  })
})

describe('a refusal that was taken back', () => {
  const decided = (state: string) => ({
    kind: 'approval',
    id: 'ap-5',
    action: 'open_account',
    for: 'op-1',
    state,
  })
  const refused = item.result('i2', 'c1', 'The user refused this action.')
  const open = item.call('i1', 'c1', 'open_account', { type: 'savings' })
  const crossing = (record: object, last: string) =>
    raised(
      judge(
        start(),
        operation('clerk', 'op-1', 'open_account', { type: 'savings' }, 'proposed', {
          key: 'oa-1',
          call: 'c1',
        }),
        decided('pending'),
        decided('rejected'),
        decided(last),
        sent('h1', 'clerk', 'accounts', {
          items_before: [user, { ...open, op: 'op-1' }, { ...refused, op: 'op-1' }],
          record,
        }),
        received('h1', 'accounts', {
          items: [user, { ...open, op: 'op-1' }, { ...refused, op: 'op-1' }],
          record,
        }),
        end(),
      ),
    )
  const pending = (state: string) => ({
    pending_actions: [{ id: 'ap-5', action: 'open_account', for: 'op-1', state }],
  })

  it('is stale although the refused call has a result: the refusal itself', () => {
    expect(crossing(pending('rejected'), 'approved')).toContain('stale-refusal-carried')
  })

  it('is not when the later yes crosses, or none was given', () => {
    expect(crossing(pending('approved'), 'approved')).not.toContain('stale-refusal-carried')
    expect(crossing(pending('rejected'), 'rejected')).not.toContain('stale-refusal-carried')
  })
})

describe('one agent in two processes', () => {
  const write = (process: string, content: string) => ({
    kind: 'store.write',
    agent: 'rota',
    process,
    store: 'session s-23',
    content: { role: 'assistant', content },
  })

  it('is two writers', () => {
    const plan = 'Shift plan for week 23: A, B, C.'
    expect(raised(judge(start(), write('k1', plan), write('k2', plan), end()))).toEqual(['duplicate-write'])
    expect(raised(judge(start(), write('k1', plan), write('k1', plan), end()))).toEqual([])
    expect(raised(judge(start(), write('k1', plan), write('k2', `${plan} And D.`), end()))).toEqual([])
  })
})

describe('a return that says only that it is one', () => {
  const back = (words: string) =>
    raised(
      judge(
        start(),
        sent('h1', 'home', 'meter', { mode: 'delegate', brief: 'Power used in May.' }),
        received('h1', 'meter', { items: [item.user('b1', 'Power used in May.')] }),
        sent('h2', 'meter', 'home', {
          mode: 'return',
          items_before: [item.agent('a1', 'meter', 'You used 1,903 kWh in May.')],
        }),
        received('h2', 'home', { items: [{ role: 'assistant', content: words }] }),
        end(),
      ),
    )

  it('is raised for a notice, in any language', () => {
    for (const notice of ['Task finished.', 'Erledigt.', '作業が完了しました。'.slice(0, 6)]) {
      expect(back(notice), notice).toEqual(['result-not-delivered'])
    }
  })

  it('is silent for a report in other words', () => {
    for (const report of [
      '1,903 kWh.',
      'It was a quiet month with little use of the oven.',
      'Used in May: see file.',
    ]) {
      expect(back(report), report).toEqual([])
    }
  })
})

describe('an announcement made twice', () => {
  it('is a reannouncement and no greeting', () => {
    const words = "I'm transferring you to our returns team now."
    const found = raised(
      judge(
        start(),
        message('user', 'The shoes do not fit, order 5512.', { agent: 'front' }),
        message('assistant', words, { agent: 'front', intent: 'announce-transfer' }),
        sent('h1', 'front', 'returns', { items_before: [user] }),
        received('h1', 'returns', { items: [user] }),
        message('assistant', words, { agent: 'returns', intent: 'announce-transfer' }),
        end(),
      ),
    )
    expect(found).toContain('receiver-reannounces')
    expect(found).not.toContain('re-greet')
  })
})

describe('words of an agent that become the user’s', () => {
  const said = (role: string, author: string) => ({
    id: 'a1',
    type: 'message',
    role,
    author,
    content: 'Yes, drop it.',
  })
  const compacted = (after: object) =>
    raised(
      judge(
        start(),
        sent('h1', 'coder', 'coder', { mode: 'resume', items_before: [user, said('assistant', 'coder')] }),
        received('h1', 'coder', { items: [user, after] }),
        end(),
      ),
    )

  it('have another author', () => {
    expect(compacted(said('user', 'user'))).toContain('author-changed')
    expect(compacted(said('assistant', 'assistant'))).not.toContain('author-changed')
  })
})

describe('a transfer that stands among the tools', () => {
  const calling = (tools: string[]) =>
    raised(
      judge(
        start({
          agents: [
            { name: 'front', tools },
            { name: 'books', tools: ['mail_invoice'] },
          ],
        }),
        sent('h1', 'front', 'books', { items_before: [user] }),
        received('h1', 'books', { items: [user], tools: ['mail_invoice'] }),
        read('books', 'op-1', 'transfer_to_books', {}, 'failed'),
        end(),
      ),
    )

  it('is a tool of whoever has it, and of nobody else', () => {
    expect(calling(['transfer_to_books'])).toContain('foreign-tool-called')
    expect(calling(['look_up'])).not.toContain('foreign-tool-called')
  })
})

describe('a promise made anew', () => {
  const promise = (id: string, state: string) => ({
    kind: 'commitment',
    agent: 'rail',
    id,
    state,
    text: 'write to the traveller on the next delay',
  })
  const carrying = (id: string) =>
    raised(
      judge(
        start(),
        promise('cm-1', 'open'),
        promise('cm-1', 'closed'),
        promise('cm-2', 'open'),
        ...crossed('h1', 'rail', 'night', [user], {
          record: { commitments: [{ id, text: 'write to the traveller on the next delay' }] },
        }),
        end(),
      ),
    )

  it('is another one, whatever its words', () => {
    expect(carrying('cm-2')).not.toContain('commitment-stale')
    expect(carrying('cm-1')).toContain('commitment-stale')
  })
})

describe('an answer passed on word for word', () => {
  const words = 'Clause seven of the contract is void.'
  const passing = (mode: string) =>
    raised(
      judge(
        start(),
        ...crossed('h1', 'bot', 'lawyer', [user], { mode: 'delegate' }),
        message('assistant', words, { agent: 'lawyer' }),
        ...crossed('h2', 'lawyer', 'bot', [user, item.agent('a1', 'lawyer', words)], { mode }),
        message('assistant', words, { agent: 'bot' }),
        end(),
      ),
    )

  it('is no greeting when it came with a return', () => {
    expect(passing('return')).not.toContain('re-greet')
    expect(passing('transfer')).toContain('re-greet')
  })
})

describe('two agents that send a task to each other', () => {
  const bouncing = (times: number) =>
    raised(
      judge(
        start(),
        ...Array.from({ length: times }, (_, lap) => [
          ...crossed(`t${lap}`, 'sales', 'service', [user], { reason: 'not mine' }),
          message('assistant', `This belongs to sales, as I see it for the ${lap}. time.`, {
            agent: 'service',
          }),
          ...crossed(`b${lap}`, 'service', 'sales', [user, item.agent(`a${lap}`, 'service', `Lap ${lap}`)], {
            reason: 'not mine',
          }),
        ]).flat(),
        end(),
      ),
    )

  it('go in a circle the third time, whatever they say', () => {
    expect(bouncing(3)).toContain('handoff-cycle')
    expect(bouncing(2)).not.toContain('handoff-cycle')
  })
})
