import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../store/index.ts'
import type { RunsScreen } from '../../tui/screens/runs.ts'
import type { Source } from '../../tui/source.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { brokenRuleLog } from './logs.ts'
import { newPlace } from './place.ts'
import { stage, writeLog } from './stage.ts'

const QUIET = [
  { run: 'r-quiet', seq: 1, at: '2031-03-05T09:00:00Z', kind: 'run.started' },
  { run: 'r-quiet', seq: 2, at: '2031-03-05T09:00:01Z', kind: 'run.ended', outcome: 'completed' },
] as const

let source: Source

beforeAll(async () => {
  const place = newPlace()
  const directory = join(place, 'captures')
  const store = await openStore(directory, { create: true })
  await store.importPaths([writeLog(join(place, 'runs.jsonl'), [...brokenRuleLog(), ...QUIET])])
  await store.close()
  source = await openStoreSource(directory)
})

afterAll(() => source?.close())

describe('the list of runs', () => {
  it('Enter right behind another order or a filter opens the first run of the new list, not of the old one', async () => {
    const sorted = await stage(source)
    expect(sorted.text()).toMatch(/by time[\s\S]*› .*r-quiet/)
    for (const key of ['s', 'enter']) sorted.session.input({ key, text: key })
    await expect.poll(sorted.text).toMatch(/run r-broken .*[\s\S]*step 1 of/)

    const filtered = await stage(source)
    await filtered.press('f')
    await filtered.type('severity:error')
    for (const key of ['enter', 'enter']) filtered.session.input({ key, text: undefined })
    await expect.poll(filtered.text).toMatch(/run r-broken .*[\s\S]*step 1 of/)
  })

  it('says how it is ordered once it is: until then the old rows stand under the old heading', async () => {
    const { session, text } = await stage(source)
    session.input({ key: 's', text: 's' })
    expect(text()).toMatch(/by time[\s\S]*› .*r-quiet/)
    await expect.poll(text).toMatch(/by findings[\s\S]*› .*r-broken/)
  })

  it('opens nothing behind the back of somebody who has gone on', async () => {
    const { session, text } = await stage(source)
    const runs = session.screen as RunsScreen
    for (const key of ['s', 'enter', '5']) session.input({ key, text: key })
    await runs.reload()
    expect(text()).toMatch(/━━ what to ask/)
  })
})
