import { resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../store/index.ts'
import { openFileSource } from '../../tui/file-source.ts'
import type { Project } from '../../tui/project.ts'
import { openStoreSource } from '../../tui/store-source.ts'
import { newPlace } from './place.ts'
import { stage } from './stage.ts'

const INCIDENT = resolve(import.meta.dirname, '../../examples/lost-key.jsonl')

const opened = async (project: Partial<Project>) =>
  stage(await openFileSource([INCIDENT], { settings: {}, suppressions: [], ...project }), [120, 40])

describe('what the project configures', () => {
  it('holds for opened files: a check that is off finds nothing', async () => {
    const { press, text } = await opened({ settings: { severities: { 'op-in-doubt-key-missing': 'off' } } })
    await press('4')
    expect(text()).not.toContain('op-in-doubt-key-missing')
    expect(text()).toContain('retry-new-key')
  })

  it('holds for what-if: what is off is neither solved nor new, and a tool that only reads is never in doubt', async () => {
    const off = await opened({ settings: { severities: { 'op-in-doubt-key-missing': 'off' } } })
    await off.press('3', 'w', 'G')
    await expect.poll(off.text).toMatch(/operation op-2 reserve_stock +mentioned +carried/)
    expect(off.text()).not.toContain('op-in-doubt-key-missing')
    const read = await opened({ settings: { effects: { read: ['reserve_stock'] } } })
    await read.press('3', 'w', 'G')
    await expect.poll(read.text).toMatch(/record +\d+ solved/)
    expect(read.text()).not.toContain('operation op-2')
  })

  it('accepts findings for a while: they are not listed, and the screen says how many there are', async () => {
    const { press, text } = await opened({
      suppressions: [{ check: 'op-in-doubt-key-missing', reason: 'known', until: '2999-12-31' }],
    })
    await press('4')
    expect(text()).toMatch(/findings by check · 1 accepted by the project's configuration/)
    expect(text()).not.toMatch(/error +h-1 .*op-in-doubt-key-missing/)
  })

  it('an acceptance that has run out accepts nothing', async () => {
    const { press, text } = await opened({
      suppressions: [{ check: 'op-in-doubt-key-missing', reason: 'known', until: '2001-01-01' }],
    })
    await press('4')
    expect(text()).toContain('op-in-doubt-key-missing')
    expect(text()).not.toContain('accepted')
  })

  it('accepts findings of a store as well: in the list of runs, of findings, and in filters', async () => {
    const directory = newPlace()
    const store = await openStore(directory, { create: true })
    await store.importPaths([INCIDENT])
    await store.close()
    const open = async (suppressions: Project['suppressions']) => {
      const source = await openStoreSource(directory, { settings: {}, suppressions })
      onTestFinished(() => source.close())
      return source
    }
    const check = 'op-in-doubt-key-missing'
    const having = { terms: [{ field: 'check', value: check, negated: false }], sort: 'findings' } as const
    const everything = await open([])
    const [before] = await everything.page(having, 0, 1)
    const source = await open([{ check, reason: 'known', until: '2999-12-31' }])
    expect(await source.count(having)).toBe(0)
    const [after] = await source.page({ terms: [], sort: 'findings' }, 0, 1)
    expect(after).toEqual({ ...before!, errors: before!.errors - 1, findings: before!.findings - 1 })
    const { findings, total, suppressed } = await source.findings(10)
    expect([findings.length, total, suppressed]).toEqual([after!.findings, after!.findings, 1])
    const { press, text } = await stage(source, [120, 40])
    await press('4')
    await expect.poll(text).toMatch(/findings by check · 1 accepted by the project's configuration/)
  })
})
