import { join } from 'node:path'
import { expect, it } from 'vitest'
import { handspan, newFolder, runNode } from '../cli/command.ts'

it('records, imports and diffs a run of @openai/agents whose handoff removes all tools', async () => {
  const folder = newFolder()
  const program = await runNode([join(import.meta.dirname, 'openai-agents.mjs')], { cwd: folder })
  expect(program.stderr).toBe('')
  const { run, received } = JSON.parse(program.stdout) as { run: string; received: { input: unknown[] } }
  // The filter of the framework leaves the user's message and nothing else.
  expect(received.input).toEqual([
    { type: 'message', role: 'user', content: 'Charge order 9 and settle it.' },
  ])

  const sql = `SELECT body->'items' AS items FROM events WHERE kind = 'handoff.received' AND run = '${run}'`
  const stored = JSON.parse((await handspan(['sql', sql, '--json'], { cwd: folder })).stdout).rows[0].items
  expect(stored).toEqual(received.input)

  const [diff] = JSON.parse((await handspan(['diff', run, '--json'], { cwd: folder })).stdout).handoffs
  expect(diff).toMatchObject({ from: 'Triage', by: 'Refunds', complete: true })
  expect(diff.operations[0]).toMatchObject({
    tool: 'charge_card',
    key: 'order-9:charge',
    state: 'unknown',
    inDoubt: true,
    degree: 'absent',
  })
  expect(diff.droppedByType).toEqual({ tool_call: 1, tool_result: 1 })
  const checked = JSON.parse((await handspan(['check', run, '--json'], { cwd: folder })).stdout)
  const found = checked.runs[0].findings.map(({ check }: { check: string }) => check)
  expect(found).toContain('op-in-doubt-key-missing')
  expect(found).not.toContain('op-result-missing')
})
