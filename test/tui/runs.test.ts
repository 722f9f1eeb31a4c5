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
    await expect.poll(sorted.text, { timeout: 20_000 }).toMatch(/run r-broken .*[\s\S]*step 1 of/)

    const filtered = await stage(source)
    await filtered.press('f')
    await filtered.type('severity:error')
    for (const key of ['enter', 'enter']) filtered.session.input({ key, text: undefined })
    await expect.poll(filtered.text, { timeout: 20_000 }).toMatch(/run r-broken .*[\s\S]*step 1 of/)
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

  it('opens nothing when somebody who has gone on comes back and the list is read anew', async () => {
    const { session, text, press } = await stage(source)
    const runs = session.screen as RunsScreen
    for (const key of ['s', 'enter', '?']) session.input({ key, text: key })
    await runs.reload()
    await press('esc')
    await runs.reload()
    await press('g')
    expect(text()).toMatch(/━━ runs · .*by findings/)
  })

  it('opens nothing later when the answer that Enter waited for fails, which it says', async () => {
    const failing = failingOnce(source)
    const { session, text, press } = await stage(failing.source)
    const runs = session.screen as RunsScreen
    failing.next()
    for (const key of ['s', 'enter']) session.input({ key, text: key })
    await expect.poll(text).toContain('the disk is gone')
    expect(text()).toMatch(/━━ runs · .*by time/)
    await runs.reload()
    expect(text()).toMatch(/━━ runs · .*by time/)
    await press('enter')
    await expect.poll(text).toMatch(/run r-quiet .*[\s\S]*step 1 of/)
  })
})

/** A source whose next list of runs cannot be read, once it is told so. */
function failingOnce(real: Source): { source: Source; next(): void } {
  let failing = false
  const page: Source['page'] = async (...asked) => {
    if (!failing) return real.page(...asked)
    failing = false
    throw new Error('the disk is gone')
  }
  const source = new Proxy(real, {
    get(target, name) {
      if (name === 'page') return page
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    source,
    next: () => {
      failing = true
    },
  }
}
