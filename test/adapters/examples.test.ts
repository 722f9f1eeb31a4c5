import { join } from 'node:path'
import { expect, it } from 'vitest'
import { handspan, newFolder, runNode } from '../cli/command.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')

/** What is found in the one run that a program recorded. */
async function onlyRun(folder: string): Promise<{ findings: { check: string; message: string }[] }> {
  const { stdout } = await handspan(['check', join(folder, '.handspan', 'spool'), '--json'])
  const { runs } = JSON.parse(stdout)
  expect(runs).toHaveLength(1)
  return runs[0]
}

it('the example of @openai/agents runs offline, and what it shows is found', async () => {
  const folder = newFolder()
  const program = await runNode([join(EXAMPLES, 'openai-agents.mjs')], { cwd: folder })
  expect(program).toMatchObject({ code: 0, stderr: '', stdout: 'The order is settled.\n' })
  const checked = await onlyRun(folder)
  const lost = checked.findings.find(({ check }) => check === 'op-in-doubt-key-missing')
  expect(lost?.message).toContain('order-9:charge')
})

it('the example of A2A runs offline, and the task that was sent twice is found', async () => {
  const folder = newFolder()
  const program = await runNode([join(EXAMPLES, 'a2a.mjs')], { cwd: folder })
  expect(program).toMatchObject({ code: 0, stderr: '', stdout: 'The task is TASK_STATE_COMPLETED.\n' })
  const checked = await onlyRun(folder)
  const twice = checked.findings.find(({ check }) => check === 'side-effect-repeated')
  expect(twice?.message).toContain('charge_card')
})

it('the example of LangGraph runs offline, and the result that the graph dropped is found', async () => {
  const folder = newFolder()
  const program = await runNode([join(EXAMPLES, 'langgraph.mjs')], { cwd: folder })
  expect(program).toMatchObject({ code: 0, stderr: '', stdout: 'Shall I charge the card now?\n' })
  const checked = await onlyRun(folder)
  const lost = checked.findings.find(({ check }) => check === 'op-result-missing')
  expect(lost?.message).toContain('receipt r-77')
})

it('the example of the AI SDK runs offline, and the result that did not cross is found', async () => {
  const folder = newFolder()
  const program = await runNode([join(EXAMPLES, 'ai-sdk.mjs')], { cwd: folder })
  expect(program).toMatchObject({ code: 0, stderr: '', stdout: 'Shall I charge the card now?\n' })
  const checked = await onlyRun(folder)
  const lost = checked.findings.find(({ check }) => check === 'op-result-missing')
  expect(lost?.message).toContain('charge_card')
})

it('the example of the Model Context Protocol runs offline, and the charge that was made twice is found', async () => {
  const folder = newFolder()
  const program = await runNode([join(EXAMPLES, 'mcp.mjs')], { cwd: folder })
  expect(program).toMatchObject({ code: 0, stderr: '', stdout: 'charged order 9\n' })
  const checked = await onlyRun(folder)
  const twice = checked.findings.find(({ check }) => check === 'side-effect-repeated')
  expect(twice?.message).toContain('charge_card')
  const truths = "SELECT count(*)::INTEGER AS landed FROM events WHERE kind = 'truth'"
  const known = await handspan(['sql', truths, '--json'], { cwd: folder })
  // Both of them landed, and the look-up: the server knows, also of the one that the client gave up on.
  expect(JSON.parse(known.stdout).rows).toEqual([{ landed: 3 }])
})
