import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build } from 'tsup'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { analyse } from '../../replay/index.ts'
import { readLogs } from './capture.ts'

// An installed package beside the script, below the repository's own dependencies.
const home = mkdtempSync(path.resolve('node_modules/.two-agents-'))
let printed: string
let events: RunEvent[]

beforeAll(async () => {
  const installed = path.join(home, 'node_modules/handspan')
  await build({
    entry: { index: 'instrumentation/index.ts' },
    format: 'esm',
    outDir: path.join(installed, 'dist'),
    config: false,
    silent: true,
  })
  cpSync('package.json', path.join(installed, 'package.json'))
  cpSync('examples/two-agents.mjs', path.join(home, 'two-agents.mjs'))
  const { HANDSPAN_DIR, HANDSPAN_CONTENT, OTEL_SDK_DISABLED, ...env } = process.env
  printed = execFileSync(process.execPath, ['two-agents.mjs'], { cwd: home, env, encoding: 'utf8' })
  events = readLogs(path.join(home, '.handspan/spool'))
})

afterAll(() => rmSync(home, { recursive: true }))

test('the example runs as a user would run it, and says what it found', () => {
  expect(printed).toBe('40 of A-7 are reserved: nothing is sent twice\n')
})

test('its captures show the operation in doubt, that its key crossed, and how it was settled', () => {
  const { diffs } = analyse(events)
  expect(diffs).toHaveLength(1)
  expect(diffs[0]).toMatchObject({
    operations: [{ inDoubt: true, degree: 'carried', timings: { landed: 'safe', delayed: 'safe' } }],
    settling: [{ order: 'before planning', how: 'closed' }],
    handoff: { from: 'orders', to: 'billing' },
  })
  expect(diffs[0]!.handoff.verdicts).toMatchObject([{ event: { verdict: 'approve' } }])
})
