import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type PlainSettings, plainSettings, settingsHash, settingsOf } from '../../replay/plain-settings.ts'
import type { Settings } from '../../replay/settings.ts'
import { openStore, type Store } from '../../store/index.ts'
import { lostKeyLog } from '../cli/lost-key-log.ts'
import { newFolder } from './folder.ts'

const LOST = 'op-in-doubt-key-missing'
const QUIET: Settings = { severities: { [LOST]: 'off' } }

async function opened(folder: string, settings?: Settings): Promise<Store> {
  const store = await openStore(folder, { create: true, ...(settings && { settings }) })
  onTestFinished(() => store.close())
  return store
}

function logFile(folder: string, run: string): string {
  const path = join(folder, `${run}.jsonl`)
  writeFileSync(
    path,
    lostKeyLog(run)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  )
  return path
}

async function findingsOf(store: Store, check: string): Promise<unknown[]> {
  const rows = await store.query('SELECT run, severity FROM findings WHERE check_id = $1 ORDER BY run', [
    check,
  ])
  return rows.map(({ run, severity }) => `${run} ${severity}`)
}

describe('what a project configures', () => {
  it('holds for what is stored: severities, effects and keys of tools, detectors', async () => {
    const folder = newFolder()
    const store = await opened(folder, {
      severities: { 'sensitive-leaked': 'info' },
      effects: { read: ['reserve_*'] },
      detectors: [{ name: 'shelf', pattern: /A-\d/gu }],
    })
    await store.importPaths([logFile(folder, 'a')])
    // A read is not in doubt, so that its key need not cross.
    expect(await findingsOf(store, LOST)).toEqual([])
    expect(await findingsOf(store, 'sensitive-leaked')).toEqual(['a info'])
    expect(await store.query('SELECT effect FROM operations')).toEqual([{ effect: 'read' }])
  })

  it('holds for whoever asks, also where another process has the database', async () => {
    const folder = newFolder()
    const owner = await opened(folder)
    const other = await opened(folder, QUIET)
    await owner.importPaths([logFile(folder, 'a')])
    await other.importPaths([logFile(folder, 'b')])
    expect(await findingsOf(owner, LOST)).toEqual(['a error'])
    expect([await owner.judgedOtherwise(), await other.judgedOtherwise()]).toEqual([1, 1])
  })

  it('is taken over by a rebuild', async () => {
    const folder = newFolder()
    const first = await opened(folder)
    await first.importPaths([logFile(folder, 'a')])
    expect(await first.judgedOtherwise()).toBe(0)
    await first.close()
    const second = await opened(folder, QUIET)
    expect(await second.judgedOtherwise()).toBe(1)
    await second.ingest()
    expect(await findingsOf(second, LOST)).toEqual(['a error'])
    expect(await second.rebuild()).toEqual({ runs: 1 })
    expect(await findingsOf(second, LOST)).toEqual([])
    expect(await second.judgedOtherwise()).toBe(0)
  })
})

const names = fc.stringMatching(/^[a-z]{1,6}$/u)
const settings: fc.Arbitrary<Settings> = fc.record(
  {
    severities: fc.dictionary(names, fc.constantFrom('error', 'warning', 'info', 'off')),
    thresholds: fc.record({ 'payload-growth': fc.record({ hops: fc.nat(9) }) }),
    effects: fc.record({ read: fc.array(names), write: fc.array(names) }),
    keys: fc.dictionary(names, fc.array(names)),
    detectors: fc.array(
      fc.record({
        name: names,
        pattern: fc.constantFrom(/a+/g, /a+/gu, /[A-Z]{2}\/\d/g, /"\\/gi),
      }),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Settings>

describe('the hash of settings', () => {
  it('is the same after a way over the socket, and in whatever order they are written', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const sent = JSON.parse(JSON.stringify(plainSettings(given))) as PlainSettings
        expect(settingsOf(sent)).toEqual(settingsOf(plainSettings(given)))
        expect(settingsOf(sent)).toEqual(given)
        const reversed = Object.fromEntries(Object.entries(sent).reverse()) as PlainSettings
        expect(settingsHash(reversed)).toBe(settingsHash(plainSettings(given)))
      }),
    )
  })

  it('tells any two apart, and what is empty is what is left out', () => {
    const different: PlainSettings[] = [
      {},
      { severities: { a: 'off' } },
      { severities: { a: 'error' } },
      { effects: { read: ['a'] } },
      { effects: { write: ['a'] } },
      { keys: { a: ['b'] } },
      { detectors: [{ name: 'a', source: 'b', flags: 'g' }] },
      { detectors: [{ name: 'a', source: 'b', flags: 'gi' }] },
    ]
    expect(new Set(different.map(settingsHash)).size).toBe(different.length)
    const empty: PlainSettings = { severities: {}, thresholds: undefined, detectors: [], keys: {} }
    expect(settingsHash(empty)).toBe(settingsHash({}))
    expect(settingsHash({})).toMatch(/^[0-9a-f]{16}$/u)
  })
})
