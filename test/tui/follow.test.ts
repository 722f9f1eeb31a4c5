import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { start } from '../../instrumentation/index.ts'
import { openStore } from '../../store/index.ts'
import { openFileSource } from '../../tui/file-source.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { brokenRuleLog } from './logs.ts'
import { newPlace } from './place.ts'
import { stage, writeLog } from './stage.ts'

// A look a second, on a machine that may be busy.
const SOON = { timeout: 20_000 }

const log = brokenRuleLog('run-live')
const lines = (from: number, to: number) =>
  log
    .slice(from, to)
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('')

describe('following', () => {
  it('shows the new events of a run while an agent writes them, and new runs in the list', async () => {
    const directory = newPlace()
    const agent = start({ directory, service: 'orders' })
    onTestFinished(() => agent.shutdown())
    await (await openStore(directory, { create: true })).close()
    const source = await openStoreSource(directory)
    onTestFinished(() => source.close())
    await agent.run({ id: 'first', principal: { kind: 'human', id: 'u-17' } }, async (run) => {
      run.message({ agent: 'orders', role: 'user', content: 'one' })
    })
    const { press, text } = await stage(source)
    await expect.poll(text, SOON).toMatch(/first/)
    expect(text()).not.toContain('following')
    await press('F')
    expect(text()).toContain('following')
    let goOn = () => {}
    const running = agent.run({ id: 'second', principal: { kind: 'human', id: 'u-17' } }, async (run) => {
      run.message({ agent: 'orders', role: 'user', content: 'the beginning' })
      await new Promise<void>((done) => {
        goOn = done
      })
      run.message({ agent: 'orders', role: 'assistant', content: 'what came later' })
    })
    await expect.poll(text, SOON).toMatch(/2 runs/)
    await press('g', 'enter')
    await expect.poll(text, SOON).toContain('step 1 of 2')
    await press('G')
    await expect.poll(text, SOON).toMatch(/step 2 of 2 {2}following/)
    goOn()
    await running
    // The cursor stood on the last step, so it goes on with what came.
    await expect.poll(text, SOON).toMatch(/step 4 of 4 {2}following, the run has ended/)
    expect(text()).toContain('what came later')
  })

  it('reads a file anew that grows, and stays at the event that is looked at', async () => {
    const file = writeLog(join(newPlace(), 'live.jsonl'), log.slice(0, 4))
    const { press, text } = await stage(await openFileSource([file]))
    expect(text()).toContain('step 1 of 4')
    await press('j')
    await press('F', 'g', 'j', '4')
    expect(text()).toContain('no findings in this run')
    await press('esc', '3')
    expect(text()).toContain('this run holds no handoff')
    appendFileSync(file, lines(4, log.length))
    await expect.poll(text, SOON).toContain('step 2 of 9  following, the run has ended')
    await press('4')
    expect(text()).toContain('constraint-violated')
    await press('3')
    expect(text()).toContain('[operations]')
    await press('F')
    expect(text()).toContain('no longer following')
  })

  it('names a file that is missing, and takes it in when it comes', async () => {
    const place = newPlace()
    const late = join(place, 'late.jsonl')
    const file = writeLog(join(place, 'live.jsonl'), log)
    const { press, text } = await stage(await openFileSource([late, file]))
    expect(text()).toContain('late.jsonl does not exist.')
    expect(text()).toContain('step 1 of 9')
    await press('esc', 'F')
    writeLog(late, brokenRuleLog('r-late'))
    await expect.poll(text, SOON).toContain('r-late')
  })

  it('an open diff gets its receiver when the receiver writes', async () => {
    const file = writeLog(join(newPlace(), 'live.jsonl'), log.slice(0, 5))
    const { press, text } = await stage(await openFileSource([file]))
    await press('3', 'F')
    expect(text()).toContain('nobody received it')
    appendFileSync(file, lines(5, 6))
    await expect.poll(text, SOON).toMatch(/billing got \d+ B, 1 item/)
    await press('tab', 'tab')
    expect(text()).toContain('op-1: CARRIED')
  })

  it('says what went wrong and stops', async () => {
    const file = writeLog(join(newPlace(), 'live.jsonl'), log)
    const { session, press, text } = await stage(await openFileSource([file]))
    session.source.refresh = async () => {
      throw new Error('the disk is gone')
    }
    await press('F')
    await expect.poll(text, SOON).toContain('the disk is gone')
    expect(session.follower.on).toBe(false)
  })
})
