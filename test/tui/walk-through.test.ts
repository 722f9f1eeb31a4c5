import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { start } from '../../instrumentation/index.ts'
import { labTable } from '../../lab/index.ts'
import { openFileSource } from '../../tui/file-source.ts'
import type { Source } from '../../tui/source.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { newPlace } from './place.ts'
import { painted, type Stage, stage } from './stage.ts'
import { WALK_THROUGH } from './walk-through.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/walk-through.md')
const INCIDENT = 'examples/lost-key.jsonl'

/** Follows the script; gives the screen after every stop. */
async function follow(source: Source): Promise<{ screens: string[]; stage: Stage }> {
  const opened = await stage(source, [80, 24])
  const screens: string[] = []
  for (const { keys, typed, must } of WALK_THROUGH) {
    await opened.press(...keys)
    if (typed !== undefined) await opened.type(typed)
    for (const part of must) await expect.poll(opened.text, { timeout: 20_000 }).toMatch(part)
    screens.push(await painted(opened.session))
  }
  return { screens, stage: opened }
}

describe('the walk-through', () => {
  it('finds the lost key, the reason and the remedy in the recorded incident; its page shows the real screens', async () => {
    const before = process.cwd()
    process.chdir(ROOT)
    onTestFinished(() => process.chdir(before))
    const source = await openFileSource([INCIDENT])
    const { screens, stage: ended } = await follow(source)
    const [path, report] = ended.asked.written[0]!
    expect(path).toBe('report.html')
    expect(report).toContain('op-in-doubt-key-missing')
    const page = pageOf(screens)
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, page)
    expect(readFileSync(PAGE, 'utf8')).toBe(page)
  })

  it('does the same over a fresh demo of twelve runs', async () => {
    const directory = newPlace()
    const handspan = start({ directory, service: 'lab' })
    await labTable(handspan)
    handspan.shutdown()
    const source = await openStoreSource(directory)
    onTestFinished(() => source.close())
    await source.refresh()
    const { stage: ended } = await follow(source)
    expect(ended.asked.written[0]![1]).toContain('op-in-doubt-key-missing')
  })
})

function pageOf(screens: readonly string[]): string {
  const stops = WALK_THROUGH.map(
    ({ shown, says }, index) =>
      `## ${shown}\n\n${says}\n\n\`\`\`text\n${screens[index]!.trimEnd()}\n\`\`\`\n`,
  )
  return `# A walk through the terminal UI

An order was billed although nobody knew whether its stock was reserved. Did the receiver ignore the rule, or did the runtime fail to pass it? The screens are real ones of 80x24, recorded by a test that drives these keys:

\`\`\`sh
handspan tui ${INCIDENT}
\`\`\`

\`handspan demo\` records twelve such runs to try it on, and ends with the command that opens one of them. [keys.md](keys.md) lists every key; \`?\` does so on each screen.

${stops.join('\n')}`
}
