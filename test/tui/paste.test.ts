import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { openStore } from '../../store/index.ts'
import { pastedRemedy } from '../../tui/paste.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { brokenRuleLog } from './logs.ts'
import { newPlace } from './place.ts'
import { program } from './program.ts'
import { openFileSource, sourceOfLogs, stage, writeLog } from './stage.ts'

/** A store of logs; its directory, whose name is no plain word of a shell. */
async function storeOf(events: readonly RunEvent[]): Promise<string> {
  const place = newPlace()
  const directory = join(place, 'my captures')
  const store = await openStore(directory, { create: true })
  await store.importPaths([writeLog(join(place, 'runs.jsonl'), events)])
  await store.close()
  return directory
}

describe('commands to be pasted', () => {
  it('what y copies shows the same step, wherever the captures are', async () => {
    const directory = await storeOf(brokenRuleLog())
    const { press, shows, raw } = await program(['tui', '--dir', directory, 'r-broken'])
    await shows(/step 1 of 9/)
    press('jjy')
    await shows(/copied the command that shows this step/)
    const [, copied = ''] = /\]52;c;([\w+/=]*)/u.exec(raw()) ?? []
    const command = Buffer.from(copied, 'base64').toString()
    expect(command).toContain('replay r-broken --step 3')
    expect(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toMatch(/r-broken[\s\S]*step 3/)
    press('q')
  })

  it('what y copies names a run and a handoff whose ids begin as options do', async () => {
    const renamed = (run: string) =>
      brokenRuleLog(run).map((event) => ('handoff' in event ? { ...event, handoff: '-h' } : event))
    const directory = await storeOf([...renamed('-r'), ...renamed('--step')] as RunEvent[])
    const { press, shows, raw } = await program(['tui', '--dir', directory])
    const lastCopied = () => {
      const [, copied = ''] = [...raw().matchAll(/\]52;c;([\w+/=]*)/gu)].at(-1) ?? []
      return Buffer.from(copied, 'base64').toString()
    }
    await shows(/Enter opens a run/)
    press(':run -r\r')
    await shows(/step 1 of 9/)
    press('jjy')
    await shows(/copied the command that shows this step/)
    expect(lastCopied()).toMatch(/ replay --step 3 --dir '.*my captures' -- -r$/)
    // One after the other: many characters in one chunk are a paste.
    press('3')
    await shows(/\[operations\]/)
    press(':compare --step')
    await shows(/^:compare --step/m)
    press('\r')
    await shows(/b {2}--step -h/)
    press('y')
    await shows(/copied the command that compares them/)
    const compared = execFileSync('/bin/sh', ['-c', lastCopied()], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    })
    expect(compared).toMatch(/^a: run -r\nb: run --step\n\n-h orders → billing {2}\| {2}-h/)
    press('q')
  })

  it('a file is named by its path, and so is a run that was read from one beside a store', async () => {
    const place = newPlace()
    const file = writeLog(join(place, 'one.jsonl'), brokenRuleLog('r-file'))
    const fromFile = await stage(await openFileSource([file]))
    await fromFile.press('y')
    expect(fromFile.asked.copied).toEqual([`handspan replay ${file} --step 1`])

    const source = await openStoreSource(await storeOf(brokenRuleLog('r-stored')))
    onTestFinished(() => source.close())
    const { press, type, asked, text } = await stage(source)
    await press('enter', '3', ':')
    await type(`compare ${file}`.padEnd(40))
    await press('enter')
    await expect.poll(text).toMatch(/b {2}r-file h-1/)
    await press('y')
    expect(asked.copied).toEqual([`handspan compare r-stored ${file} --handoff h-1 h-1`])
  })

  it('a run that no command can name is not copied; what stores it is said', async () => {
    const events = [...brokenRuleLog('r-1'), ...brokenRuleLog('r-2')]
    const { press, asked, text } = await stage(sourceOfLogs('two.jsonl', events), [120, 40])
    await press('j', 'enter', 'y')
    expect(asked.copied).toEqual(['handspan replay two.jsonl --step 1'])
    await press('1', 'k', 'enter', 'y')
    expect(asked.copied).toHaveLength(1)
    expect(text()).toContain('a command that names this run needs a store')
    expect(text()).toContain('handspan import two.jsonl')
  })

  it('what needs a store says the command that makes one', async () => {
    const { press, text } = await stage(sourceOfLogs('lost key.jsonl', brokenRuleLog()), [120, 40])
    await press(';')
    expect(text()).toContain("SQL needs a store; files have none: handspan import 'lost key.jsonl'")
    await press('5', 'enter')
    expect(text()).toContain("metrics need a store; files have none: handspan import 'lost key.jsonl'")
  })

  it('a remedy names commands for the captures that are open, and nothing else is taken for a command', () => {
    const paste = (words: readonly string[]) => `npx handspan ${words.join(' ')} --dir x`
    expect(pastedRemedy('handspan runs lists the runs, handspan import FILE takes one in.', paste)).toBe(
      'npx handspan runs --dir x lists the runs, npx handspan import --dir x FILE takes one in.',
    )
    const other = 'Use the handspan that wrote it.'
    expect(pastedRemedy(other, paste)).toBe(other)
  })
})
