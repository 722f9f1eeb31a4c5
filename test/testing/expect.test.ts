import { AssertionError } from 'node:assert'
import { readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { type Analysis, analyse, analyseTogether } from '../../replay/index.ts'
import { expectHandoff, expectRun, readRunLog } from '../../testing/index.ts'
import { newFolder, runNode, writeLog } from '../cli/command.ts'
import { cleanRun } from '../generators/clean-run.ts'
import { FAULTS, faultyRun } from '../generators/faulty-run.ts'
import {
  crossed,
  type Entry,
  end,
  item,
  log,
  operation,
  received,
  sent,
  start,
} from '../replay/run-builder.ts'

const ITEMS = [item.user('u1', 'Reserve 40 of A-7, then send the invoice.')]
const RULE = { id: 'c-1', text: 'Invoice only what is reserved.' }
const OPEN = { op: 'op-1', tool: 'reserve_stock', args: { sku: 'A-7' }, key: 'k-4711-1', state: 'unknown' }
const PENDING = { id: 'ap-1', action: 'send the invoice', scope: { order: 4711 } }
const WHOLE = {
  origin: { kind: 'human', id: 'u-9' },
  constraints: [RULE],
  open_operations: [OPEN],
  pending_actions: [PENDING],
}

/** An order with something of everything to hand over, and the record that crosses. */
function order(record: object | undefined, more: object = {}): RunEvent[] {
  return log([
    start(),
    { kind: 'constraint', state: 'active', ...RULE },
    { kind: 'approval', agent: 'orders', state: 'pending', ...PENDING },
    operation('orders', 'op-1', 'reserve_stock', { sku: 'A-7' }, 'sent', { key: OPEN.key }),
    operation('orders', 'op-1', 'reserve_stock', { sku: 'A-7' }, 'unknown', { key: OPEN.key }),
    sent('h1', 'orders', 'billing', { items_before: ITEMS, record, ...more }),
    received('h1', 'billing', { items: ITEMS, record }),
    end(),
  ])
}

function carriesOpen(analysis: Analysis, handoff?: string): boolean {
  try {
    expectHandoff(analysis, handoff).toCarryOpenOperations()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(AssertionError)
    return false
  }
}

/** What the matcher says of each handoff of a run, which has to be what the findings of the run say. */
function compared(analysis: Analysis): boolean[] {
  const last = new Map(analysis.diffs.map((diff) => [diff.handoff.id, diff]))
  return [...last.values()]
    .filter(({ complete }) => complete)
    .map(({ handoff, operations }) => {
      const open = operations.filter(({ inDoubt }) => inDoubt).map(({ operation: { op } }) => op)
      const against = analysis.findings.filter(
        ({ check, subject, ...finding }) =>
          finding.handoff === handoff.id &&
          finding.attempt === handoff.attempt &&
          subject.kind === 'operation' &&
          (check === 'op-in-doubt-key-missing' ||
            (['op-altered', 'op-state-changed'].includes(check) && open.includes(subject.id))),
      )
      const carries = carriesOpen(analysis, handoff.id)
      expect({ run: analysis.run.id, handoff: handoff.id, carries }).toEqual({
        run: analysis.run.id,
        handoff: handoff.id,
        carries: against.length === 0,
      })
      return carries
    })
}

function publicCases(): Analysis[] {
  const folder = resolve(import.meta.dirname, '../cases')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => analyseTogether(readRunLog(join(folder, name))))
}

/** The message of the AssertionError that an act throws. */
function failureOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(AssertionError)
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

describe('expectHandoff', () => {
  it('is content with a handoff that carries everything, several expectations in a row', () => {
    expectHandoff(order(WHOLE))
      .toCarryOpenOperations()
      .toPreserveConstraints()
      .toPreserveApprovals()
      .toKeepOrigin()
      .toHaveNoFindings({ severity: 'error', except: ['not-settled-before-planning'] })
  })

  it('shows what the sender knew and how it crossed', () => {
    const bare = () => expectHandoff(order(undefined))
    const operations = failureOf(() => bare().toCarryOpenOperations())
    expect(operations).toContain('Handoff h1 (orders → billing) leaves operations in doubt behind')
    expect(operations).toMatch(/✗ op-1 reserve_stock +unknown, key k-4711-1 +(absent|mentioned|described)/)
    expect(failureOf(() => bare().toPreserveConstraints())).toMatch(
      /✗ c-1 +"Invoice only what is reserved\." +absent/,
    )
    expect(failureOf(() => bare().toPreserveApprovals())).toMatch(
      /✗ ap-1 +pending send the invoice \{"order":4711\} +absent/,
    )
    expect(failureOf(() => bare().toKeepOrigin())).toMatch(/✗ origin +\{.*"u-9".*\}/)
    const findings = failureOf(() => bare().toHaveNoFindings())
    expect(findings).toMatch(
      /✗ error op-in-doubt-key-missing h1\n {4}reserve_stock \(op-1\) left with key k-4711-1/,
    )
    expect(findings).toContain('→ ')
  })

  it('tells a changed thing from an absent one', () => {
    const altered = order({ ...WHOLE, open_operations: [{ ...OPEN, args: { sku: 'B-1' } }] })
    expect(failureOf(() => expectHandoff(altered).toCarryOpenOperations())).toContain(
      'altered  args: {"sku":"A-7"} → {"sku":"B-1"}',
    )
    const renamed = order({ ...WHOLE, pending_actions: [{ ...PENDING, scope: { order: 4712 } }] })
    expect(failureOf(() => expectHandoff(renamed).toPreserveApprovals())).toContain('scope changed')
  })

  describe('toCarryOpenOperations asks for what the checks ask for', () => {
    const open = (agent: string, more: object = {}) =>
      ['sent', 'unknown'].map((state) =>
        operation(agent, 'op-1', 'reserve_stock', { sku: 'A-7' }, state, { key: OPEN.key, ...more }),
      )
    const handoff = (mode: string, from: string, to: string, record: object = {}, asSent = record) => [
      sent('h1', from, to, { mode, items_before: ITEMS, record: asSent }),
      received('h1', to, { items: ITEMS, record }),
    ]
    const receiverCalls = (tool: string) =>
      operation('billing', 'op-2', tool, { sku: 'A-7' }, 'sent', { key: 'k-2' })

    it.each<[string, Entry[], boolean]>([
      ['a transfer without the key', [...open('orders'), ...handoff('transfer', 'orders', 'billing')], false],
      ['a notice hands over no work', [...open('orders'), ...handoff('notify', 'orders', 'billing')], true],
      [
        'a notice whose receiver then calls the same tool',
        [...open('orders'), ...handoff('notify', 'orders', 'billing'), receiverCalls('reserve_stock')],
        false,
      ],
      [
        'a notice whose receiver then calls another tool',
        [...open('orders'), ...handoff('notify', 'orders', 'billing'), receiverCalls('send_invoice')],
        true,
      ],
      [
        'a notice that calls what is in doubt settled',
        [
          ...open('orders'),
          ...handoff('notify', 'orders', 'billing', { open_operations: [{ ...OPEN, state: 'settled' }] }),
        ],
        false,
      ],
      [
        "a return, of the receiver's own call",
        [...open('orders'), ...handoff('return', 'billing', 'orders')],
        true,
      ],
      [
        "a return, of the sender's call",
        [...open('billing'), ...handoff('return', 'billing', 'orders')],
        false,
      ],
      [
        'a key in a field of its own',
        [...open('orders'), ...handoff('transfer', 'orders', 'billing', { pending_key: OPEN.key })],
        true,
      ],
      [
        'what only the record told of, and the receiver did not get',
        handoff('transfer', 'orders', 'billing', {}, { open_operations: [OPEN] }),
        false,
      ],
    ])('%s', (_, entries, carries) => {
      const events = log([start(), ...entries, end()])
      expect(carriesOpen(analyse(events))).toBe(carries)
      // No severity of a project makes it blind.
      const off = { severities: { 'op-in-doubt-key-missing': 'off', 'op-state-changed': 'off' } } as const
      expect(carriesOpen(analyse(events, { settings: off }))).toBe(carries)
    })

    it('and never disagrees with them, in whatever run', () => {
      const verdicts: boolean[] = []
      for (const fault of FAULTS) {
        for (const analysis of analyseTogether(faultyRun(3, fault))) verdicts.push(...compared(analysis))
      }
      for (let seed = 1; seed <= 40; seed++) verdicts.push(...compared(analyse(cleanRun(seed))))
      for (const log of publicCases()) verdicts.push(...compared(log))
      // Of both kinds there were many, or nothing was compared.
      for (const verdict of [true, false]) {
        expect(verdicts.filter((one) => one === verdict).length).toBeGreaterThan(10)
      }
    })
  })

  it('counts findings by severity, without those that are excepted', () => {
    const bare = order(undefined)
    const checks = ['op-in-doubt-key-missing', 'constraint-dropped', 'approval-pending-lost', 'origin-lost']
    const message = failureOf(() => expectHandoff(bare).toHaveNoFindings({ except: ['constraint-dropped'] }))
    expect(message).toContain('op-in-doubt-key-missing')
    expect(message).not.toContain('constraint-dropped')
    expectHandoff(bare).toHaveNoFindings({ severity: 'error', except: checks })
    expectHandoff(bare, 'h1', {
      severities: Object.fromEntries(checks.map((id) => [id, 'off'])),
    }).toHaveNoFindings({ severity: 'error' })
  })

  it('says which handoffs there are, and does not judge half of one', () => {
    const two = log([start(), ...crossed('h1', 'a', 'b', ITEMS), ...crossed('h2', 'b', 'c', ITEMS), end()])
    expect(failureOf(() => expectHandoff(two))).toContain(
      'not exactly one handoff, so name one. It has: h1, h2.',
    )
    expect(failureOf(() => expectHandoff(two, 'h9'))).toContain('no handoff h9')
    expect(failureOf(() => expectHandoff([]))).toContain('It has none.')
    expect(failureOf(() => expectHandoff(log([start(), sent('h1', 'a', 'b'), end()])))).toContain(
      'nobody received it',
    )
    expectHandoff(two, 'h2').toHaveNoFindings({ severity: 'error' })
  })

  it('shows captured text escaped', () => {
    const hostile = log([
      start(),
      { kind: 'constraint', state: 'active', id: 'c\u001b[2J', text: 'wipe\u202e' },
      ...crossed('h1', 'a\u0007', 'b', ITEMS),
      end(),
    ])
    const message = failureOf(() => expectHandoff(hostile).toPreserveConstraints())
    expect([...message].filter((char) => (char < ' ' && char !== '\n') || char === '\u202e')).toEqual([])
  })
})

describe('expectRun', () => {
  it('looks at the whole run', () => {
    expectRun(log([start(), ...crossed('h1', 'a', 'b', ITEMS), end()])).toHaveNoFindings({
      severity: 'error',
    })
    expect(failureOf(() => expectRun(order(undefined)).toHaveNoFindings())).toContain('Run run-1 has')
  })
})

describe('readRunLog', () => {
  it('reads files and directories, and names the line that it cannot read', () => {
    const folder = newFolder()
    const file = writeLog(folder, 'a.jsonl', order(WHOLE))
    expect(readRunLog(file)).toEqual(JSON.parse(JSON.stringify(order(WHOLE))))
    expect(readRunLog(folder)).toHaveLength(order(WHOLE).length)
    writeLog(folder, 'b.jsonl', [{ run: 'r', kind: 'run.start' }, '{'])
    expect(() => readRunLog(folder)).toThrow('b.jsonl:2: not valid JSON')
  })
})

describe('under node:test', () => {
  it('passes and fails like any assertion', async () => {
    const folder = newFolder()
    const file = writeLog(folder, 'a.jsonl', order(undefined))
    const entry = pathToFileURL(resolve(import.meta.dirname, '../../dist/testing.js')).href
    const path = join(folder, 'handoff.test.mjs')
    writeFileSync(
      path,
      `import { test } from 'node:test'
       import { expectHandoff, readRunLog } from '${entry}'
       const events = readRunLog(${JSON.stringify(file)})
       test('items', () => { expectHandoff(events).toHaveNoFindings({ severity: 'error', except: ['op-in-doubt-key-missing', 'approval-pending-lost', 'constraint-dropped', 'origin-lost'] }) })
       test('keys', () => { expectHandoff(events).toCarryOpenOperations() })`,
    )
    const { code, stdout } = await runNode(['--test', '--test-reporter=tap', path])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ *ok \d - items$/m)
    expect(stdout).toMatch(/^ *not ok \d - keys$/m)
    expect(stdout).toContain('leaves operations in doubt behind')
  })
})
