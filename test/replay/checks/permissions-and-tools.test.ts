import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  operation,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length
const user = item.user('u1', 'Rechnung für Auftrag 7, bitte.')

describe('permissions', () => {
  const handed = (before: object, after: object, mode = 'delegate', extra: Entry[] = []) =>
    judge(
      start(),
      ...extra,
      sent('h1', 'lead', 'scout', { mode, items_before: [user], ...before }),
      received('h1', 'scout', { items: [user], ...after }),
      read('scout', 'op-1', 'look', {}),
      end(),
    )
  const own = (rules: object): Entry => ({ kind: 'permission', agent: 'lead', ...rules })
  it.each([
    ['a denied tool', { permissions: { deny: ['edit'] } }, { tools: ['read', 'edit'] }],
    [
      'a tool beyond a closed list',
      { permissions: { allow: ['read'], closed: true } },
      { tools: ['read', 'shell'] },
    ],
    ['a denied pattern', { permissions: { deny: ['mcp.*'] } }, { tools: ['mcp.wire'] }],
    [
      'a denied scope',
      { permissions: { deny: ['read:vault.toml'] } },
      { tools: ['read'], permissions: { deny: [] } },
    ],
    ['a looser mode', { permissions: { mode: 'plan' } }, { permissions: { mode: 'bypassPermissions' } }],
    [
      'a tool that has to be asked for',
      { permissions: { ask: ['shell'] } },
      { permissions: { allow: ['shell'] } },
    ],
    ['rules in the record', { record: { permissions: { deny: ['edit'] } } }, { tools: ['edit'] }],
  ])('gained is raised for %s', (_, before, after) => {
    expect(findingsOf(handed(before, after), 'permission-gained')).toHaveLength(1)
    expect(findingsOf(handed(before, after, 'transfer'), 'permission-gained')).toHaveLength(1)
  })
  it.each([
    ['own denial', [own({ deny: ['edit'] })], { tools: ['edit'] }],
    ['own closed list', [own({ allow: ['look'], closed: true })], { tools: ['look', 'shell'] }],
  ])('gained is raised below the caller’s %s, and not for a colleague', (_, rules, after) => {
    expect(findingsOf(handed({}, after, 'delegate', rules), 'permission-gained')).toHaveLength(1)
    expect(findingsOf(handed({}, after, 'transfer', rules), 'permission-gained')).toHaveLength(0)
  })
  it('gained is raised for a denied call, whatever the list of tools says', () => {
    const run = (tool: string, args: object) =>
      judge(
        start(),
        ...crossed('h1', 'lead', 'scout', [user], {
          mode: 'delegate',
          permissions: { deny: ['read:vault.toml', 'edit'] },
        }),
        operation('scout', 'op-1', tool, args, 'settled'),
        end(),
      )
    expect(findingsOf(run('read', { path: 'vault.toml' }), 'permission-gained')).toHaveLength(1)
    expect(findingsOf(run('edit', {}), 'permission-gained')).toHaveLength(1)
    expect(findingsOf(run('read', { path: 'notes.md' }), 'permission-gained')).toHaveLength(0)
  })
  it.each([
    ['fewer tools', { permissions: { deny: ['edit'] } }, { tools: ['read'] }],
    [
      'the denial with the tool',
      { permissions: { deny: ['edit'] } },
      { tools: ['edit'], permissions: { deny: ['edit'] } },
    ],
    [
      'the closed list with the tool',
      { permissions: { deny: ['edit'] } },
      { tools: ['edit'], permissions: { allow: ['read'], closed: true } },
    ],
    ['unknown modes', { permissions: { mode: 'sepia' } }, { permissions: { mode: 'umber' } }],
    ['a report back', { mode: 'return', permissions: { deny: ['edit'] } }, { tools: ['edit'] }],
  ])('gained is silent for %s', (_, before, after) => {
    expect(findingsOf(handed(before, after), 'permission-gained')).toHaveLength(0)
  })
  it('compares names in whatever case each side writes them', () => {
    const deny = { permissions: { deny: ['bash', 'mcp__fs__*'] } }
    const gained = (before: object, after: object, extra: Entry[] = []) =>
      findingsOf(handed(before, after, 'delegate', extra), 'permission-gained').length
    expect(gained(deny, { tools: ['Read', 'Bash'] })).toBe(1)
    expect(gained(deny, { tools: ['MCP__fs__write'] })).toBe(1)
    expect(gained(deny, { tools: ['Bash'], permissions: { deny: ['Bash'] } })).toBe(0)
    expect(gained(deny, { tools: ['BashOutput'] })).toBe(0)
    expect(gained({ permissions: { allow: ['Bash'] } }, { tools: ['Bash'] }, [own({ deny: ['bash'] })])).toBe(
      0,
    )
    const closed = { permissions: { allow: ['read'], closed: true } }
    expect(gained(closed, { tools: ['Read'] })).toBe(0)
  })
  it('gained takes what the sender expressly allows for a widening on purpose', () => {
    const rules = [own({ allow: ['read'], deny: ['shell'], closed: true })]
    const widened = handed(
      { permissions: { allow: ['read', 'shell'], closed: true } },
      { tools: ['shell'] },
      'delegate',
      rules,
    )
    expect(findingsOf(widened, 'permission-gained')).toHaveLength(0)
  })
  const roster = (tools: string[]): Entry => start({ agents: [{ name: 'scout', tools }] })
  it('lost is raised for a tool that may not be used, a stricter mode and a missing tool', () => {
    const lost = (before: object, after: object) =>
      findingsOf(handed(before, after), 'permission-lost').length
    expect(lost({ permissions: { allow: ['bash'] } }, { tools: ['bash'], permissions: { allow: [] } })).toBe(
      1,
    )
    expect(
      lost(
        { permissions: { allow: ['bash'] } },
        { tools: ['bash'], permissions: { allow: ['bash'], ask: ['bash'] } },
      ),
    ).toBe(1)
    expect(lost({ permissions: { mode: 'no-prompts' } }, { permissions: { mode: 'default' } })).toBe(1)
    expect(
      count(
        'permission-lost',
        roster(['read', 'bash']),
        sent('h1', 'lead', 'scout'),
        received('h1', 'scout', { tools: ['read'] }),
      ),
    ).toBe(1)
  })
  it('lost is silent for reduced rosters, the sender’s denials and other tools of a colleague', () => {
    const lost = (before: object, after: object) =>
      findingsOf(handed(before, after), 'permission-lost').length
    expect(
      lost(
        { permissions: { allow: ['bash', 'read'] } },
        { tools: ['read'], permissions: { allow: ['read'] } },
      ),
    ).toBe(0)
    expect(lost({}, { tools: ['read'], permissions: { allow: ['read'] } })).toBe(0)
    const withheld = [
      sent('h1', 'lead', 'scout', { mode: 'delegate', permissions: { deny: ['bash'] } }),
      received('h1', 'scout', { tools: ['read'] }),
    ]
    expect(count('permission-lost', roster(['read', 'bash']), ...withheld)).toBe(0)
    const handovers = [sent('h1', 'lead', 'scout'), received('h1', 'scout', { tools: ['read'] })]
    expect(count('permission-lost', roster(['read', 'transfer_to_lead']), ...handovers)).toBe(0)
  })
})

describe('a configured tool that the receiver itself denies', () => {
  const lost = (allow: string[], ...rules: Entry[]) =>
    count(
      'permission-lost',
      start({ agents: [{ name: 'runner', tools: ['read', 'bash'] }] }),
      ...rules,
      sent('h1', 'build', 'runner', { mode: 'delegate', items_before: [user], permissions: { allow } }),
      received('h1', 'runner', {
        items: [user],
        tools: ['read'],
        permissions: { allow: ['read'], deny: ['bash'] },
      }),
      end(),
    )
  const denies = (agent: string): Entry => ({ kind: 'permission', agent, deny: ['bash'] })
  const allows: Entry = { kind: 'permission', agent: 'build', allow: ['read', 'bash'], deny: [] }
  it('is lost where the sender expressly allows it, also after it was denied', () => {
    expect(lost(['read', 'bash'])).toBe(1)
    expect(lost(['read', 'bash'], denies('build'), allows)).toBe(1)
  })
  it('is withheld where nobody allowed it by name, or where its own rules deny it', () => {
    expect(lost(['read'])).toBe(0)
    expect(lost(['*'])).toBe(0)
    expect(lost(['read', 'bash'], denies('runner'))).toBe(0)
  })
})

describe('author-changed', () => {
  const handed = (before: object[], after: object[]) =>
    count(
      'author-changed',
      start(),
      sent('h1', 'one', 'two', { items_before: before }),
      received('h1', 'two', { items: after }),
      end(),
    )
  it('is raised for the same item, call or words under another author', () => {
    expect(handed([item.agent('a1', 'one', 'Yes.')], [item.agent('a1', 'two', 'Yes.')])).toBe(1)
    const call = (author: string) => ({ type: 'tool_call', call: 'c1', tool: 'look', args: {}, author })
    expect(handed([call('one')], [call('two')])).toBe(1)
    const words = (author: string) => ({ role: 'assistant', content: 'I have checked the ledger.', author })
    expect(handed([words('one')], [words('two')])).toBe(1)
  })
  it('is silent for a missing author, a role word, another spelling, and for two who said the same', () => {
    expect(
      handed(
        [item.agent('a1', 'one', 'Yes.')],
        [{ id: 'a1', type: 'message', role: 'assistant', content: 'Yes.' }],
      ),
    ).toBe(0)
    expect(handed([item.agent('a1', 'one', 'Yes.')], [item.agent('a1', 'assistant', 'Yes.')])).toBe(0)
    expect(handed([item.agent('a1', 'Front Desk', 'Yes.')], [item.agent('a1', 'front_desk', 'Yes.')])).toBe(0)
    const said = (author: string) => ({ role: 'assistant', content: 'ok', author })
    expect(handed([said('one'), said('two')], [said('two')])).toBe(0)
  })
  it('is raised when the words of the user become those of an agent, unless the receiver itself had said them', () => {
    const nuts = 'I am allergic to nuts'
    expect(handed([item.user('u1', nuts)], [item.agent('u1', 'one', nuts)])).toBe(1)
    expect(handed([item.user('u1', nuts)], [item.agent('u1', 'two', nuts)])).toBe(0)
    expect(handed([item.user('u1', nuts)], [item.user('u1', nuts)])).toBe(0)
  })
})

describe('foreign-tool-called', () => {
  const calls = (tool: string, before: Entry[], fields: object = {}) =>
    count(
      'foreign-tool-called',
      ...before,
      read('router', 'op-9', tool, { week: 2 }, 'failed', fields),
      end(),
    )
  const payload = (tools: unknown[]) => [
    start(),
    sent('h1', 'tasks', 'router'),
    received('h1', 'router', { tools, items: [item.call('i1', 'c1', 'get_hours')] }),
  ]
  it('is raised after a handoff, a model input, a configuration, and once a tool', () => {
    expect(calls('get_hours', payload(['transfer_to_tasks']))).toBe(1)
    expect(calls('get_hours', payload([]))).toBe(1)
    expect(calls('get_hours', [start({ agents: [{ name: 'router', tools: ['look'] }] })])).toBe(1)
    expect(
      calls('get_hours', [
        start(),
        { kind: 'model.input', agent: 'router', items: [], tools: [{ name: 'look' }] },
      ]),
    ).toBe(1)
    const twice = read('router', 'op-8', 'get_hours', { week: 1 })
    const [finding] = findingsOf(
      judge(...payload(['look']), twice, read('router', 'op-9', 'get_hours', {}), end()),
      'foreign-tool-called',
    )
    expect(finding?.message).toContain('items[0]')
    expect(finding?.evidence.length).toBeGreaterThanOrEqual(3)
  })
  it('is silent where the tools are unknown, gained later, or named in another form', () => {
    expect(calls('get_hours', [start()])).toBe(0)
    expect(calls('get_hours', payload([{ type: 'web_search' }]))).toBe(0)
    expect(
      calls('get_hours', [
        ...payload(['look']),
        { kind: 'agent.config', agent: 'router', tools: ['get_hours'] },
      ]),
    ).toBe(0)
    expect(calls('get_hours', payload([{ type: 'function', function: { name: 'get_hours' } }]))).toBe(0)
    expect(calls('mcp__time__get_hours', payload(['get_hours']))).toBe(0)
    expect(calls('read:vault.toml', payload(['read']))).toBe(0)
    expect(calls('get_hours', payload(['get_*']))).toBe(0)
  })
  it('is silent for handing over and for a key that is carried on', () => {
    expect(calls('transfer_to_tasks', payload(['look']))).toBe(0)
    const asks = sent('h2', 'router', 'finance', { mode: 'delegate', call: 'c7' })
    expect(calls('ask_finance', [...payload(['look']), asks])).toBe(0)
    expect(calls('consult', [...payload(['look']), asks], { call: 'c7' })).toBe(0)
    const first = operation('tasks', 'op-1', 'reserve', {}, 'unknown', { key: 'k1' })
    expect(calls('reserve', [first, ...payload(['look'])], { key: 'k1' })).toBe(0)
  })
})
