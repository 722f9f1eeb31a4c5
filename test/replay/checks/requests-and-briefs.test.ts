import { describe, expect, it } from 'vitest'
import { type Entry, end, findingsOf, item, judge, message, received, sent, start } from '../run-builder.ts'

const count = (check: string, ...entries: Entry[]) => findingsOf(judge(...entries), check).length
const older = item.user('u1', 'Guten Tag')
const asks = item.user('u2', 'Wie viele Beine hat eine Krabbe?')
const both = (mode: string, before: object, after: object) => [
  sent('h1', 'helper', 'root', { mode, items_before: [older, asks], ...before }),
  received('h1', 'root', { items: [], ...after }),
]

describe('user-message-dropped', () => {
  const dropped = (mode: string, before: object, after: object, extra: Entry[] = []) =>
    count('user-message-dropped', start(), ...extra, ...both(mode, before, after), end())
  it.each(['transfer', 'escalate', 'resume', 'delegate'])('is raised when nothing crosses (%s)', (mode) => {
    expect(dropped(mode, {}, {})).toBe(1)
    expect(
      dropped(
        mode,
        {},
        { items: [item.user('n1', 'Context: helper called transfer', { origin: { kind: 'framework' } })] },
      ),
    ).toBe(1)
  })
  it('is raised when a message crosses as it was before the user corrected it', () => {
    const said = (content: string) => message('user', content, { id: 'u7', agent: 'helper' })
    const corrected = [said('Ein Tisch am Dienstag.'), said('Ein Tisch am Donnerstag.')]
    const crossing = (text: string) =>
      dropped(
        'transfer',
        { items_before: [item.user('u7', 'Ein Tisch am Donnerstag.')] },
        { items: [item.user('u7', text)] },
        corrected,
      )
    expect(crossing('Ein Tisch am Dienstag.')).toBe(1)
    expect(crossing('Ein Tisch am Donnerstag.')).toBe(0)
    expect(crossing('[redacted]'), 'no version of it').toBe(0)
  })
  it('is raised when only older words cross, or a summary that leaves it out', () => {
    expect(dropped('transfer', {}, { items: [older] })).toBe(1)
    expect(
      dropped(
        'transfer',
        {},
        { items: [{ id: 's', type: 'summary', content: 'user: Guten Tag', covers: ['u1'] }] },
      ),
    ).toBe(1)
    expect(dropped('transfer', { brief: 'beantworte die Frage des Gastes' }, {})).toBe(1)
  })
  it.each([
    ['as it is', { items: [asks] }],
    ['under another id', { items: [{ role: 'user', content: 'Wie viele Beine hat eine Krabbe?' }] }],
    [
      'in a summary that covers it',
      { items: [{ id: 's', type: 'summary', content: '…', covers: ['u1', 'u2'] }] },
    ],
    [
      'in a summary, verbatim',
      {
        items: [
          {
            id: 's',
            type: 'summary',
            content: 'user: Wie viele Beine hat eine Krabbe? helper: …',
            covers: ['u1'],
          },
        ],
      },
    ],
    [
      'in a summary in other words',
      { items: [{ id: 's', type: 'summary', content: 'The guest asks about crabs.' }] },
    ],
    ['in the instructions', { instructions: 'Beantworte: wie viele beine hat eine krabbe?' }],
    ['as the task of the record', { record: { task: 'Beine der Krabbe zählen' } }],
    [
      'as a brief by the sender',
      { items: [{ role: 'user', author: 'helper', content: 'Zähle die Beine.' }] },
    ],
    ['in other words', { items: [item.user('b', 'Beine einer Krabbe zählen')] }],
  ])('is silent when it crossed %s', (_, after) => {
    expect(dropped('transfer', {}, after)).toBe(0)
  })
  it('is raised when a summary that names nothing it covers lacks the number that was asked about', () => {
    const ask = (content: string) => ({ items_before: [older, item.user('u2', content)] })
    const told = (content: string) => ({ items: [{ id: 's', type: 'summary', content }] })
    const cancel = ask('Cancel booking 771 today')
    expect(dropped('transfer', cancel, told('The guest said hello and is polite.'))).toBe(1)
    expect(dropped('transfer', cancel, told('771 is to be called off.'))).toBe(0)
    expect(dropped('transfer', cancel, told('Der Gast storniert seine Booking.'))).toBe(0)
    expect(dropped('transfer', ask('Two beds for 2'), told('Der Gast braucht ein Zimmer.'))).toBe(0)
  })
  it('is silent where a declared redaction masked a part of it', () => {
    const said = [older, item.user('u2', 'I am Ann Smith, card 4111')]
    const masked = { items: [older, { role: 'user', content: 'I am [NAME], card [CARD]' }] }
    const redacted = { items_before: said, policy: { redact: ['Ann Smith', '4111'] } }
    expect(dropped('transfer', redacted, masked)).toBe(0)
    expect(dropped('transfer', { items_before: said }, masked), 'none was declared').toBe(1)
    const other = { items: [older, { role: 'user', content: 'I want a [NAME]' }] }
    expect(dropped('transfer', redacted, other), 'other words').toBe(1)
  })
  it('is silent for briefs, returns, notices, lists of what may cross, and with nothing asked', () => {
    const brief = { items: [item.user('b1', 'Look into the animal book.')] }
    expect(dropped('delegate', {}, brief)).toBe(0)
    expect(dropped('transfer', { brief: 'Look into the animal book.' }, brief)).toBe(0)
    for (const mode of ['return', 'notify']) expect(dropped(mode, {}, {})).toBe(0)
    const pair = [item.call('i1', 'c1', 'transfer_to_root'), item.result('i2', 'c1', 'ok')]
    expect(
      dropped(
        'transfer',
        { items_before: [asks, ...pair], policy: { allows: ['i1', 'i2'] } },
        { items: pair },
      ),
    ).toBe(0)
    expect(dropped('transfer', { items_before: [] }, {})).toBe(0)
    expect(dropped('transfer', { items_before: [item.user('n', 'done', { origin: 'framework' })] }, {})).toBe(
      0,
    )
  })
  const spoken = (agent: string) =>
    message('user', 'Halt, doch lieber Hummer.', { id: 'v1', agent, channel: 'voice' })
  it('is raised for a spoken turn that never became an item', () => {
    const [finding] = findingsOf(
      judge(start(), spoken('helper'), ...both('transfer', {}, { items: [older, asks] }), end()),
      'user-message-dropped',
    )
    expect(finding?.message).toContain('spoken words')
    expect(
      count(
        'user-message-dropped',
        start(),
        spoken('helper'),
        ...both('transfer', {}, { items: [asks, item.user('v1', 'Halt, doch lieber Hummer.')] }),
      ),
    ).toBe(0)
  })
  it('is raised for a turn that came while the task changed hands', () => {
    const [out, back] = both('transfer', {}, { items: [older, asks] }) as [Entry, Entry]
    expect(count('user-message-dropped', start(), out, spoken('helper'), back, end())).toBe(1)
    expect(count('user-message-dropped', start(), out, spoken('root'), back, end())).toBe(0)
    const later: Entry = {
      kind: 'model.input',
      agent: 'root',
      items: [item.user('v1', 'Halt, doch lieber Hummer.')],
    }
    expect(count('user-message-dropped', start(), out, spoken('helper'), back, later, end())).toBe(0)
  })
  it('is raised when a helper returns with a question of the user unanswered', () => {
    expect(dropped('return', { items_before: [] }, {}, [spoken('helper')])).toBe(1)
    const answered = message('assistant', 'Hummer also.', { agent: 'helper' })
    expect(dropped('return', { items_before: [] }, {}, [spoken('helper'), answered])).toBe(0)
  })
  it('cannot judge a receiver whose items are not in the log', () => {
    const [out] = both('transfer', {}, {}) as [Entry]
    const { notJudged } = judge(start(), out, { kind: 'handoff.received', handoff: 'h1', by: 'root' })
    expect(notJudged).toContainEqual(
      expect.objectContaining({ check: 'user-message-dropped', handoff: 'h1' }),
    )
  })
})

describe('brief-dropped', () => {
  const BRIEF = 'Suche die Urkunde zum Flurstück 9 und melde dich.'
  const briefed = (after: object, mode = 'delegate', brief: unknown = BRIEF) =>
    count(
      'brief-dropped',
      start(),
      sent('h1', 'lead', 'digger', { mode, brief }),
      received('h1', 'digger', { items: [], ...after }),
      end(),
    )
  it('is raised when it is nowhere', () => {
    for (const mode of ['delegate', 'transfer', 'resume', 'escalate']) expect(briefed({}, mode)).toBe(1)
    expect(briefed({ items: [item.user('x', 'Male ein Bild.')] })).toBe(1)
    expect(briefed({}, 'delegate', { task: BRIEF })).toBe(1)
  })
  it('is raised where the words are about other figures', () => {
    const offers = (figures: string) => `Compare offers ${figures} for the roof of the old mill`
    const got = (text: string) =>
      briefed({ items: [item.user('b', text)] }, 'delegate', offers('5 and 1,700'))
    expect(got(offers('55 and 17'))).toBe(1)
    for (const figures of ['5 and 6', '1700', 'five and six', 'that came in'])
      expect(got(`Please ${offers(figures)}.`), figures).toBe(0)
  })
  it.each([
    ['an item', { items: [item.user('b', `Aufgabe: ${BRIEF}`)] }],
    ['the instructions', { instructions: BRIEF }],
    ['the record', { record: { task: BRIEF } }],
    ['other words', { items: [item.user('b', 'Bitte suche die Urkunde zum Flurstück 9.')] }],
  ])('is silent when it is in %s', (_, after) => {
    expect(briefed(after)).toBe(0)
  })
  it('is silent with no brief, and on a report back', () => {
    expect(briefed({}, 'return')).toBe(0)
    expect(briefed({}, 'delegate', '')).toBe(0)
  })
  const started = (brief?: string) => [
    sent('h1', 'lead', 'digger', { mode: 'delegate', ...(brief === undefined ? {} : { brief }) }),
    received('h1', 'digger', { items: [item.user('b1', BRIEF)] }),
  ]
  const resumed = (items: object[], before: object = {}) => [
    sent('h2', 'lead', 'digger', { mode: 'resume', ...before }),
    received('h2', 'digger', { items }),
  ]
  const approved = { type: 'approval', approval: 'ap', state: 'approved' }
  it('is raised when a helper is resumed in the middle of its task without it', () => {
    for (const brief of [undefined, BRIEF])
      expect(count('brief-dropped', start(), ...started(brief), ...resumed([approved]), end())).toBe(1)
  })
  it('is silent when it is there, summarised, replaced, or the task was done', () => {
    expect(
      count('brief-dropped', start(), ...started(), ...resumed([item.user('b1', BRIEF), approved]), end()),
    ).toBe(0)
    expect(
      count(
        'brief-dropped',
        start(),
        ...started(),
        ...resumed([{ type: 'summary', content: 'so far …' }]),
        end(),
      ),
    ).toBe(0)
    const next = resumed([item.user('b2', 'Jetzt Flurstück 10.')], { brief: 'Jetzt Flurstück 10.' })
    expect(count('brief-dropped', start(), ...started(), ...next, end())).toBe(0)
    const back = [sent('h3', 'digger', 'lead', { mode: 'return' }), received('h3', 'lead')]
    expect(count('brief-dropped', start(), ...started(), ...back, ...resumed([approved]), end())).toBe(0)
  })
  describe('of a task that is done, when the helper is resumed for more of it', () => {
    const brief = item.user('b1', BRIEF)
    const answer = item.agent('d1', 'digger', 'Sie liegt in Band 4.')
    const more = item.user('b2', 'Und der Plan dazu?')
    const resumedFor = (items: object[], before: object = {}) => {
      const whole = { items_before: [brief, answer, more], ...before }
      return count(
        'brief-dropped',
        start(),
        ...started(BRIEF),
        sent('h3', 'digger', 'lead', { mode: 'return', items_before: [answer] }),
        received('h3', 'lead', { items: [answer] }),
        ...resumed(items, whole),
        end(),
      )
    }
    it('is missed where the history that it is resumed with holds it', () => {
      expect(resumedFor([more])).toBe(1)
      expect(resumedFor([answer, more])).toBe(1)
      const quoted = item.user('x', `Aufgabe: ${BRIEF}`)
      expect(resumedFor([more], { items_before: [quoted, more] })).toBe(1)
    })
    it.each([
      ['it crossed', [brief, answer, more], {}],
      ['it crossed in a summary', [{ type: 'summary', content: 'Urkunde gefunden.' }, more], {}],
      ['the history is not that of the task', [more], { items_before: [more] }],
      ['the policy leaves it out', [more], { policy: { history: 'last-1' } }],
      ['a new one was written', [item.user('b9', 'Suche nun den Plan.')], {}],
      ['a new one was given', [more], { brief: more.content }],
    ])('is not missed where %s', (_, items, before) => {
      expect(resumedFor(items, before)).toBe(0)
    })
  })
})
