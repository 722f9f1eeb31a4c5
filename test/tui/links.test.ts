import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frame } from '../../tui/frame.ts'
import { cells, plainText, textOfLine } from '../../tui/lines.ts'
import { paintLine } from '../../tui/paint-line.ts'
import { THEMES } from '../../tui/theme.ts'
import { traceLinks } from '../../tui/trace-link.ts'
import { brokenRuleLog } from './logs.ts'
import { sourceOfLogs, stage } from './stage.ts'

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const traced = (id: string) =>
  brokenRuleLog('r').map((event) => ({ ...event, trace: { id, span: '00f067aa0ba902b7' } }))

describe('links to traces', () => {
  it('are made of a template, or of a beginning', () => {
    const link = traceLinks('https://tempo.example/trace/{trace}?span={span}')
    expect(link({ id: ID, span: 's1' })).toBe(`https://tempo.example/trace/${ID}?span=s1`)
    expect(link({ id: ID })).toBe(`https://tempo.example/trace/${ID}?span=`)
    expect(traceLinks('http://jaeger:16686/trace/')({ id: ID })).toBe(`http://jaeger:16686/trace/${ID}`)
    expect(traceLinks(undefined)({ id: ID })).toBeUndefined()
    expect(traceLinks('')({ id: ID })).toBeUndefined()
  })

  it.each(['javascript:alert(1)//{trace}', 'file:///etc/{trace}', 'tempo.example', '{trace}'])(
    'are refused for %s, with what to write',
    (template) => {
      expect(() => traceLinks(template)).toThrow('HANDSPAN_TRACE_URL is no http or https address')
    },
  )

  it('never hold anything but printable ASCII, and lead nowhere else, whatever an id holds', () => {
    const wild = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\u0007\u001b]8;;x'), fc.constant('..'))
    fc.assert(
      fc.property(wild, wild, (id, span) => {
        const link = traceLinks('https://tempo.example/t/{trace}/{span}')({ id, span })
        if (link !== undefined) expect(link).toMatch(/^https:\/\/tempo\.example\/[\x21-\x7e]*$/)
      }),
    )
  })

  it('stand around the id in the replay and in the diff, take no cells, and are in no plain text', async () => {
    const { session, press } = await stage(sourceOfLogs('traced.jsonl', traced(ID)), [120, 40])
    Object.assign(session, { traceLink: traceLinks('https://tempo.example/trace/') })
    const link = `\u001b]8;;https://tempo.example/trace/${ID}\u001b\\`
    for (const key of ['j', '3']) {
      await press(key)
      const lines = frame(session)
      for (const line of lines) expect(cells(textOfLine(line))).toBe(120)
      const raw = lines.map((line) => paintLine(line, THEMES['no-color'])).join('\n')
      expect(raw.split(link)).toHaveLength(2)
      // Every link that is opened is closed.
      expect(raw.split('\u001b]8;;')).toHaveLength(3)
      expect(plainText(lines)).not.toContain('tempo.example')
    }
  })

  it('without an address there is the id alone', async () => {
    const { session, press, text } = await stage(sourceOfLogs('traced.jsonl', traced(ID)), [120, 40])
    await press('j')
    expect(text()).toContain(`trace  ${ID}`)
    expect(
      frame(session)
        .flat()
        .some(({ link }) => link !== undefined),
    ).toBe(false)
  })
})
