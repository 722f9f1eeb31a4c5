import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  operation,
  received,
  sent,
  start,
} from '../run-builder.ts'

/* A name is what the log shows it to be. A word for a role or a person is one only while nothing in the log is called so. */

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length
const said = (author: string, fields: object = {}) => item.agent('a1', author, 'I will see to it.', fields)
const user = item.user('u1', 'Move my booking to Friday.')

describe('author-changed, where a name is a word for a role', () => {
  const check = 'author-changed'
  const hop = (by: string, before: object, after: object, fields: object = {}) => [
    sent('h1', 'lead', by, { items_before: [before], ...fields }),
    received('h1', by, { items: [after] }),
  ]
  it.each(['Developer', 'Assistant', 'Agent', 'Tool', 'Model', 'assistant'])('is raised for %s', (name) => {
    expect(count(check, start(), ...hop(name, said('lead'), said(name)), end())).toBe(1)
    const roster = start({ agents: [{ name, tools: ['look'] }] })
    expect(count(check, roster, ...hop('desk', said('lead'), said(name)), end())).toBe(1)
    expect(count(check, roster, ...hop('desk', said(name), said('desk')), end())).toBe(1)
  })
  it('is silent for the word where nobody, or somebody of another spelling, is called so', () => {
    expect(count(check, start(), ...hop('desk', said('lead'), said('assistant')), end())).toBe(0)
    expect(count(check, start(), ...hop('Developer', said('lead'), said('developer')), end())).toBe(0)
  })
  it('is silent for people and for the runtime, though a task went to the one and came from the other', () => {
    const asked = crossed('h0', 'lead', 'human', [user], { mode: 'escalate' })
    const calls = operation('human', 'op-1', 'look', {}, 'settled')
    const byUser = (author: string) => item.user('u2', 'Friday, please.', { author })
    expect(
      count(check, start(), ...asked, calls, ...hop('desk', byUser('eva'), byUser('human')), end()),
    ).toBe(0)
    const anew = crossed('h0', 'system', 'lead', [user], { mode: 'resume' })
    const note = (author: string) => item.agent('n1', author, 'It is nine.', { role: 'system' })
    expect(count(check, start(), ...anew, ...hop('desk', note('clock'), note('system')), end())).toBe(0)
  })
})

describe('an agent with a name that begins as that of a person', () => {
  const roster = (name: string) => start({ agents: [{ name, tools: ['look'] }] })
  const asked: Entry = { kind: 'approval', id: 'ap', state: 'pending', action: 'pay', agent: 'desk' }
  const yes = (by: string, ...before: Entry[]) =>
    count('origin-escalated', ...before, asked, { kind: 'approval', id: 'ap', state: 'approved', by }, end())
  const calls = (agent: string) => operation(agent, 'op-1', 'look', {}, 'settled')

  it.each(['operator-bot', 'user-proxy', 'owner-agent'])('gives no yes (%s)', (name) => {
    expect(yes(name, roster(name))).toBe(1)
    const model: Entry = { kind: 'model.input', agent: name, items: [user] }
    expect(yes(name, start(), model, calls(name))).toBe(1)
    const told = received('h1', name, { items: [user], instructions: 'Watch the desk.' })
    expect(yes(name, start(), sent('h1', 'desk', name, { items_before: [user] }), told, calls(name))).toBe(1)
  })
  it.each(['operator-7', 'owner-3', 'human'])('is a person where no model is seen: %s', (name) => {
    expect(yes(name, start(), calls(name))).toBe(0)
    expect(yes(name, start({ agents: [{ name, tools: [] }] }))).toBe(0)
  })

  const escalated = (to: string, first = start()) =>
    count('handoff-dropped', first, sent('h1', 'desk', to, { mode: 'escalate', items_before: [user] }), end())
  it.each(['operator-agent', 'queue-worker'])('has to receive what is escalated to it (%s)', (name) => {
    expect(escalated(name, roster(name))).toBe(1)
    expect(escalated(name)).toBe(0)
  })
  it('is waited for otherwise, by whatever word', () => {
    for (const name of ['human', 'operator-2', 'staff-eva', 'owner', 'queue:cards'])
      expect(escalated(name), name).toBe(0)
  })

  const arriving = (to: string, first = start()) =>
    count(
      'wrong-target',
      first,
      sent('h1', 'desk', to, { items_before: [user] }),
      received('h1', 'guard', { items: [user] }),
    )
  it('is the only one that may receive what is addressed to it, as is one called after a group', () => {
    for (const name of ['operator-agent', 'team-lead', 'any-format-reader']) {
      expect(arriving(name, roster(name)), name).toBe(1)
      expect(arriving(name), name).toBe(0)
    }
  })
})
