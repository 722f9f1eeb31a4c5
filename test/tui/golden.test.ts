import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseEventLine } from '../../model/parse-event.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { brokenRuleLog } from './logs.ts'
import { painted, SIZES, sourceOfLogs, stage } from './stage.ts'

/*
 * Screens as they stand in a real terminal emulator, one file each. Their job: to notice any change of what a person sees.
 * UPDATE_GOLDEN=1 writes them anew; a changed file is read against the log before it is committed.
 */

const FOLDER = join(import.meta.dirname, 'golden')
const UPDATE = process.env.UPDATE_GOLDEN === '1'

// Other checks may come; these screens are about how findings are shown.
const CHECKS = [
  'op-in-doubt-key-missing',
  'origin-lost',
  'constraint-dropped',
  'retry-new-key',
  'constraint-violated',
]

function incident(): RunEvent[] {
  const text = readFileSync(join(import.meta.dirname, '../../examples/lost-key.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseEventLine(line).event!)
}

const EFFECTS: Record<string, string[]> = {
  replay: [],
  'replay-next-problem': ['e'],
  'replay-at-the-handoff': ['}'],
  'replay-at-the-end': ['G'],
  'diff-operations': ['}', 'enter'],
  'diff-at-the-receiver': ['}', 'enter', 'o', 'j'],
  'diff-approvals': ['}', 'enter', 'tab'],
  'diff-constraints': ['}', 'enter', 'tab', 'tab'],
  'diff-contract': ['}', 'enter', 'tab', 'tab', 'tab', 'tab'],
  'diff-sizes': ['}', 'enter', 'shift+tab'],
  viewer: ['}', 'v'],
  'viewer-folded': ['}', 'v', '-'],
  'viewer-unfolded': ['}', 'v', '-', '-'],
  findings: ['4'],
  'findings-of-a-pair': ['4', 's', 'j'],
  definition: ['4', 'j', 'd'],
  help: ['?'],
  runs: ['1'],
  'search-line': ['/', 'k', 'e', 'y'],
  'command-line': [':', 'n', 'o', 'enter'],
  'what-if': ['3', 'w', 'G'],
  lab: ['6'],
  metrics: ['5'],
}

describe.each(SIZES)('at %dx%d', (width, height) => {
  it.each(Object.keys(EFFECTS))('%s', async (name) => {
    const { session, press } = await stage(sourceOfLogs('lost-key.jsonl', incident(), CHECKS), [
      width,
      height,
    ])
    await press(...EFFECTS[name]!)
    check(`${name}-${width}x${height}`, await painted(session))
  })

  it('a handoff compared with one of another run', async () => {
    const events = [...incident(), ...brokenRuleLog('order-4712')]
    const { session, press } = await stage(sourceOfLogs('two.jsonl', events, CHECKS), [width, height])
    await press('G', 'enter', '3', 'x')
    check(`pick-${width}x${height}`, await painted(session))
    await press('enter')
    check(`compare-${width}x${height}`, await painted(session))
  })

  it('a rule that crossed and was broken', async () => {
    const { session, press } = await stage(sourceOfLogs('broken-rule.jsonl', brokenRuleLog(), CHECKS), [
      width,
      height,
    ])
    await press('4', 'j', 'enter')
    check(`broken-rule-${width}x${height}`, await painted(session))
  })
})

function check(name: string, screen: string): void {
  const file = join(FOLDER, `${name}.txt`)
  if (UPDATE || !existsSync(file)) {
    if (!UPDATE) throw new Error(`${file} is missing: UPDATE_GOLDEN=1 writes it`)
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, `${screen}\n`)
  }
  expect(`${screen}\n`).toBe(readFileSync(file, 'utf8'))
}
