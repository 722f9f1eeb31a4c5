import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseEventLine } from '../../model/parse-event.ts'
import { frame } from '../../tui/frame.ts'
import { cells, textOfLine } from '../../tui/lines.ts'
import { newSession } from '../../tui/new-session.ts'
import { showSource } from '../../tui/show-source.ts'
import { brokenRuleLog, hostileLog } from './logs.ts'
import { painted, SIZES, sourceOfLogs, stage } from './stage.ts'

const incident = readFileSync(join(import.meta.dirname, '../../examples/lost-key.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => parseEventLine(line).event!)

// Controls and bidi overrides: what moves the cursor, rings, or turns text round.
const HOSTILE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

describe('the first use', () => {
  it('finds the operation in doubt and why its key is lost, within four keys', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    expect(text()).toContain('e problem')
    await press('e')
    expect(text()).toMatch(/op-2 reserve_stock SENT, IN DOUBT/)
    await press('enter')
    expect(text()).toMatch(/op-2: MENTIONED, key absent/)
    expect(text()).toMatch(/if it is still travelling: REPEATS THE EFFECT/)
    expect(text()).toMatch(/reserve_stock was sent again as op-4 under order-4711\/billing\/reserve/)
    expect(text()).toMatch(/◀ +1 assistant Enough of A-7/)
    await press('4')
    expect(text()).toContain('op-in-doubt-key-missing')
  })
})

describe('keys', () => {
  it('a rule is attributed in the words of the question', async () => {
    const { press, text } = await stage(sourceOfLogs('broken.jsonl', brokenRuleLog()))
    await press('3', 'tab', 'tab')
    expect(text()).toMatch(/carried, not followed: the rule reached billing, which did not follow it/)
  })

  it('Enter on a step that a finding about a handoff points to shows what crossed, at the row of the finding', async () => {
    const { press, text } = await stage(sourceOfLogs('broken.jsonl', brokenRuleLog()))
    await press('e')
    expect(text()).toMatch(/^›!2 .* constraint reserve-first/m)
    await press('enter')
    expect(text()).toMatch(/\[constraints\]/)
    expect(text()).toMatch(/^› reserve-first/m)
    await press('esc', 'v')
    expect(text()).toMatch(/event 2 constraint/)
  })

  it('a finding leads to the tab that shows what it is about, and stands there only under that', async () => {
    const words = { type: 'message', role: 'assistant', content: 'Bill it.' }
    const waits = { kind: 'approval', id: 'reserve-first', action: 'send_invoice', state: 'pending' }
    const events = brokenRuleLog('r').flatMap((event) => {
      if (event.kind === 'constraint') return [event, { ...event, ...waits } as typeof event]
      return [event.kind === 'handoff.received' ? { ...event, items: [words] } : event]
    })
    const { press, text } = await stage(sourceOfLogs('dropped.jsonl', events), [120, 40])
    await press('4', '/')
    for (const key of 'user-message-dropped') await press(key)
    await press('enter', 'j', 'enter')
    expect(text()).toMatch(/\[items\]/)
    expect(text()).toMatch(/^› 0 user Set 40 of A-7 aside/m)
    expect(text()).toContain('error user-message-dropped')
    await press('shift+tab')
    expect(text()).toMatch(/^ error constraint-/m)
    await press('shift+tab')
    expect(text()).toMatch(/^› reserve-first send_invoice/m)
    expect(text()).not.toMatch(/constraint-/)
  })

  it('esc steps out one screen at a time and q quits from anywhere', async () => {
    const { press, text, asked } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('}', 'enter', 'v')
    expect(text()).toContain('▾')
    await press('esc')
    expect(text()).toContain('[operations]')
    await press('esc', 'esc')
    expect(text()).toContain('━━ runs')
    await press('esc')
    expect(text()).toContain('this is the first screen; q quits')
    await press('q')
    expect(asked.quits).toEqual([undefined])
  })

  it('says why a key does nothing, and where there is nothing to go to', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('z')
    expect(text()).toContain('z does nothing here; ? lists the keys')
    await press('g', '[', 'E')
    expect(text()).toContain('no problem before this step')
    await press('6', 'enter')
    expect(text()).toContain('the lab records into a store')
  })

  it('a complaint is shown whole, and about a filter it stands over the line, which stays to be mended', async () => {
    const { press, type, text, session } = await stage(sourceOfLogs('lost-key.jsonl', incident), [40, 24])
    await press('1', ':')
    await type('nonsense')
    await press('enter')
    expect(text().replaceAll(/\s+/gu, ' ')).toContain('theme dark|light|no-color, help')
    await press('f')
    await type('since:soon')
    await press('enter')
    expect(text()).toMatch(/since:soon is no time; .*\n.*\nfilter since:soon$/u)
    expect(frame(session)).toHaveLength(23)
    await press('ctrl+u')
    await type('agent:orders')
    await press('enter')
    expect(text()).toContain('· filter')
    expect(text()).not.toContain('since:soon')
    await press('f', 'esc')
    expect(session.prompt).toBeUndefined()
  })

  it('the state that has no room beside the steps opens whole', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('}')
    expect(text()).toContain('more lines; o shows all')
    await press('o')
    expect(text()).toMatch(/op-2 reserve_stock UNKNOWN, IN DOUBT\n +key order-4711\/orders\/reserve\n/)
    // What a finding says is wrapped, and not cut.
    expect(text()).not.toContain('…')
    await press('esc')
    expect(text()).toContain('step 8 of 19')
  })

  it('the help is wrapped, and not cut', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident), [60, 80])
    await press('3', '?')
    expect(text()).toContain('on this screen (diff)')
    expect(text()).not.toContain('…')
  })

  it('a narrow list keeps what finds a run and what is wrong with it', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident), [40, 12])
    await press('1')
    expect(text()).toMatch(/› order-4711 +11-29 \d\d:\d\d:\d\d +5✗/)
  })

  it('searches, and says when there is no further match', async () => {
    const { press, type, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('/')
    await type('send_invoice')
    await press('enter')
    expect(text()).toContain('step 15 of 19')
    await press('n')
    expect(text()).toContain('step 16 of 19')
    await press('n')
    expect(text()).toContain('no further match for send_invoice')
  })

  it('plays to the end by itself, faster on request', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('+', '+', '+', '+', '+', '+', 'space')
    await expect.poll(() => text(), { timeout: 20_000 }).toContain('step 19 of 19')
    expect(text()).not.toContain('playing')
  })

  it('copies only on y, and says what', async () => {
    const { press, text, asked } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('j', 'k', '?', 'esc')
    expect(asked.copied).toEqual([])
    await press('y')
    expect(asked.copied).toEqual(['handspan replay lost-key.jsonl --step 1'])
    expect(text()).toContain('copied the command that shows this step')
  })

  it('copies a name as one word of a shell, whatever it is', async () => {
    const { press, asked } = await stage(sourceOfLogs("it's; rm -rf ~", incident))
    await press('y')
    expect(asked.copied).toEqual(["handspan replay 'it'\\''s; rm -rf ~' --step 1"])
  })

  it('tries another style in place: with the record the key crosses', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('3', 'w', 'G')
    await expect.poll(text).toMatch(/operation op-2 reserve_stock +mentioned +carried/)
    expect(text()).toMatch(/✓ op-in-doubt-key-missing +op-2/)
    await press('g')
    await expect.poll(text).toMatch(/operation op-2 reserve_stock +mentioned +described/)
  })

  it('writes the view as Markdown, HTML, text and as the JSON of its twin command', async () => {
    const { press, type, text, asked } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('}', 'enter')
    for (const file of ['out.md', 'out.json', 'out.html', 'out.txt']) {
      await press(':')
      await type(`write ${file}                `)
      await press('enter')
      expect(text()).toContain(`written to ${file}`)
    }
    const [markdown, json, html, plain] = asked.written.map(([, written]) => written) as [
      string,
      string,
      string,
      string,
    ]
    expect(markdown).toMatch(/^# Handoff h-1 of run order-4711\n\n```text\n/)
    for (const form of [markdown, html, plain]) expect(form).toContain('op-2: MENTIONED, key absent')
    expect(html).toContain('<span class="error">')
    expect(html).not.toContain('<script')
    const document = JSON.parse(json)
    expect(document).toMatchObject({ command: 'diff', run: 'order-4711' })
    expect(document.handoffs[0].operations).toContainEqual(
      expect.objectContaining({ op: 'op-2', degree: 'mentioned' }),
    )
  })

  it('W proposes a name, an unknown ending is refused, and a file that exists is kept unless asked', async () => {
    const { press, type, text, asked } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press('4', 'W')
    expect(text()).toContain(':write findings-of-run-order-4711.md')
    await press('enter', 'W', 'enter')
    expect(text()).toMatch(/findings-of-run-order-4711\.md exists already; :write!\s+findings-of-run-order/)
    await press(':')
    await type('write! findings-of-run-order-4711.md')
    await press('enter')
    expect(asked.written.map(([path]) => path)).toEqual(Array(2).fill('findings-of-run-order-4711.md'))
    await press(':')
    await type('write /tmp/findings.docx')
    await press('enter')
    expect(text()).toContain('the name ends in one of .md, .html, .json, .txt')
    expect(asked.written).toHaveLength(2)
  })

  it('what a log holds cannot become markup of the page or end the block', async () => {
    const events = brokenRuleLog('r').map((event) =>
      event.kind === 'handoff.sent' ? { ...event, reason: '<script>alert(1)</script> ```` end' } : event,
    )
    const { press, type, asked } = await stage(sourceOfLogs('markup', events))
    await press('3', ':')
    await type('write whatever.html')
    await press('enter', ':')
    await type('write whatever.md   ')
    await press('enter')
    const [html, markdown] = asked.written.map(([, written]) => written) as [string, string]
    expect(html).toContain('&lt;script&gt;alert(1)')
    expect(html).not.toContain('<script>')
    expect(markdown).toMatch(/\n`{5}text\n[\s\S]*\n`{5}\n$/)
  })

  it('a paste opens the line that its first character opens, and is ignored elsewhere', async () => {
    const { type, press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await type('quit everything at once q q q')
    expect(text()).toContain('pasted text is ignored here')
    await type(':theme light and more')
    expect(text()).toMatch(/:theme light and more/)
    await press('ctrl+w', 'ctrl+w', 'enter')
    expect(text()).not.toContain(':theme')
  })
})

describe('where there is nothing, or no room', () => {
  it('says so of a key that has nothing to act on', async () => {
    const { press, text } = await stage(sourceOfLogs('nothing', []))
    await press('enter')
    expect(text()).toContain('there is no run to open')
    await press('4')
    expect(text()).toContain('no runs yet, so nothing was looked at')
    expect(text()).not.toContain('found nothing')
    await press('enter')
    expect(text()).toContain('there is no finding here')
    await press('d')
    expect(text()).toContain('there is no finding here')
  })

  it('what was said while it was being opened is gone once it is open', async () => {
    const nobody = { copy() {}, suspend() {}, redraw() {}, write: async () => {}, quit() {} }
    const session = newSession(nobody, 'slow')
    session.input({ key: 'j', text: 'j' })
    expect(session.notice?.text).toBe('it is still being opened; q quits')
    await showSource(session, sourceOfLogs('lost-key.jsonl', [...incident, ...brokenRuleLog('r')]))
    expect(session.notice).toBeUndefined()
    session.close()
  })

  it('Tab completes the name of every command', async () => {
    const { press, type, text } = await stage(sourceOfLogs('lost-key.jsonl', incident))
    await press(':')
    for (const key of 'ru') await press(key)
    await press('tab')
    expect(text()).toMatch(/:run/)
    await press('ctrl+u')
    await type('theme dark                    ')
  })

  it('at 40x12 the open tab, both verdicts of a style, both variants of a play and what a column holds are seen', async () => {
    const { press, text } = await stage(sourceOfLogs('lost-key.jsonl', incident), [40, 12])
    await press('3', 'shift+tab')
    expect(text()).toMatch(/^… .*\[sizes\]/m)
    await press('tab')
    expect(text()).toMatch(/^\[operations\]/m)
    await press('w')
    await expect.poll(text).toMatch(/crossed +would cross/)
    expect(text()).toMatch(/ operat…_stock mentioned +described/)
    await press('6')
    expect(text().match(/ landed {2}delayed|\[landed\] delayed/g)!.length).toBeGreaterThan(2)
    await press('5')
    expect(text()).toMatch(/^ slice +what the row is\n +about \(text\) +…$/m)
  })

  it('names without end, and empty ones, leave room for what is said of them', async () => {
    const named = (name: string) =>
      brokenRuleLog('r').map((event) => ({
        ...event,
        ...(event.kind === 'handoff.sent' ? { handoff: name, from: name, to: name } : {}),
        ...(event.kind === 'handoff.received' ? { handoff: name, by: name } : {}),
        ...(event.op === 'op-1' ? { op: name, agent: name } : {}),
      }))
    const long = await stage(sourceOfLogs('long', named('w'.repeat(10_000))), [120, 40])
    await long.press('3')
    expect(long.text()).toMatch(/ w+…w+ {2}w+…w+ → w+…w+ {2}transfer {2}"bill it"/)
    expect(long.text()).toMatch(/━━ w+…w+ — operations log/)
    expect(long.text()).toMatch(/── w+…w+ — \w+/)
    const empty = await stage(sourceOfLogs('empty', named('')), [120, 40])
    expect(empty.text()).toMatch(/\d "" /)
    await empty.press('3')
    expect(empty.text()).toMatch(/ "" {2}"" → "" {2}transfer/)
  })
})

describe('the frame', () => {
  const walk = [
    'e',
    'enter',
    'o',
    'o',
    'tab',
    'tab',
    'tab',
    'tab',
    'tab',
    'v',
    '-',
    '-',
    'esc',
    'esc',
    '4',
    'j',
    'd',
    'esc',
    '1',
    '?',
  ]

  it.each([...SIZES, [40, 10], [61, 13], [300, 90]] as const)(
    'is exact at %dx%d on every screen, whatever the log holds',
    async (width, height) => {
      const { session, press } = await stage(sourceOfLogs('hostile', hostileLog()), [width, height])
      for (const key of ['', ...walk]) {
        if (key !== '') await press(key)
        const lines = frame(session)
        expect(lines).toHaveLength(height - 1)
        for (const line of lines)
          expect([key, textOfLine(line), cells(textOfLine(line))]).toEqual([key, textOfLine(line), width])
        expect(lines.map(textOfLine).join('')).not.toMatch(HOSTILE)
      }
    },
  )

  it.each([
    [40, 10],
    [80, 24],
  ] as const)(
    'is exact at %dx%d where runs are tried, chosen, compared and measured',
    async (width, height) => {
      const events = [...hostileLog('r-1'), ...hostileLog('r-2'), ...brokenRuleLog(`r${'w'.repeat(5000)}`)]
      const { session, press } = await stage(sourceOfLogs('hostile', events), [width, height])
      const keys = [
        'enter',
        '3',
        'w',
        'G',
        'esc',
        'x',
        'enter',
        'j',
        'enter',
        'esc',
        'esc',
        '4',
        '5',
        '6',
        'tab',
      ]
      for (const key of [...keys, '1', ':', 'tab', 'esc', 'f', 'tab', 'esc', 'G', 'enter', 'y', 'W']) {
        await press(key)
        const lines = frame(session)
        expect([key, lines.length]).toEqual([key, height - 1])
        for (const line of lines)
          expect([key, textOfLine(line), cells(textOfLine(line))]).toEqual([key, textOfLine(line), width])
        expect(lines.map(textOfLine).join('')).not.toMatch(HOSTILE)
      }
    },
  )

  it('an id that holds a line feed begins no line of its own, which could say anything', async () => {
    const events = brokenRuleLog('r').map((event) =>
      event.kind === 'operation' && event.op === 'op-1' ? { ...event, op: 'op-1\nerror-forged' } : event,
    )
    const { session, press, text } = await stage(sourceOfLogs('forged', events), [120, 40])
    session.say('reading r\nerror-forged …')
    expect(text()).toContain('reading r\\nerror-forged …')
    for (const key of ['3', 'o', '4', 'j', '1', '4', 'j']) {
      await press(key)
      expect(text()).not.toMatch(/^\W*error-forged/m)
    }
    await press('esc', '3')
    expect(text()).toMatch(/op-1\\nerror-forged: [A-Z]+/)
  })

  it('shows hostile text escaped', async () => {
    const { session, press } = await stage(sourceOfLogs('hostile', hostileLog()), [200, 60])
    await press('j', 'v')
    const screen = await painted(session)
    expect(screen).toContain('\\u001b[2J')
    expect(screen).toContain('\\u{202e}')
  })

  it.each([
    [20, 5],
    [39, 24],
    [80, 9],
    [1, 1],
  ])('says at %dx%d what it needs, in one line', async (width, height) => {
    const { session, text } = await stage(sourceOfLogs('lost-key.jsonl', incident), [width, height])
    expect(
      'needs 40x10'.startsWith(
        text()
          .trim()
          .slice(0, Math.min(11, width - 1)),
      ),
    ).toBe(true)
    expect(frame(session).length).toBeLessThanOrEqual(Math.max(1, height - 1))
  })

  it('reflows when the window changes', async () => {
    const { session, text } = await stage(sourceOfLogs('lost-key.jsonl', incident), [160, 40])
    expect(text()).toMatch(/step 1 of 19.* │ .*state after step 1/)
    session.size = { width: 80, height: 24 }
    expect(text()).toMatch(/^── state after step 1/m)
  })
})
