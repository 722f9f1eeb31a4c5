import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { printPlain } from '../../tui/plain.ts'
import { brokenRuleLog } from './logs.ts'
import { sourceOfLogs } from './stage.ts'

describe('the screens as text', () => {
  it('list ids whole, since the next command needs them', async () => {
    const ids = ['01M8PBG9V07ME4D0NW2QNNVS8V', '01M8PBG9TG6X6C5BR07E4PPT68']
    for (const columns of [60, 80, 100, 140]) {
      const printed: string[] = []
      const source = sourceOfLogs(
        'two.jsonl',
        ids.flatMap((id) => brokenRuleLog(id)),
      )
      await printPlain(source, (text) => printed.push(text), columns)
      for (const id of ids) expect(printed.join('\n')).toContain(`${id} `)
      for (const line of printed.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    }
  })

  it('hold no control character but the line feeds between their lines, whatever the ids are', async () => {
    const id = 'r\u001b]0;owned\u0007\u009b2J\n::error::'
    const log: RunEvent[] = [
      { run: id, seq: 1, kind: 'run.start', agents: [{ name: id }] },
      { run: id, seq: 2, kind: 'handoff.sent', handoff: id, from: id, to: id, reason: id, items_before: [] },
      { run: id, seq: 3, kind: 'handoff.received', handoff: id, by: id, items: [] },
    ]
    const printed: string[] = []
    await printPlain(sourceOfLogs('hostile.jsonl', log), (text) => printed.push(text), 80)
    const text = printed.join('\n')
    expect(text).toContain('owned')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(text).not.toMatch(/^::/m)
  })
})
