import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../cli/command.ts'

it('has no page that says something else than the program', async () => {
  const generator = join(resolve(import.meta.dirname, '../..'), 'docs/generate.mjs')
  expect(await runNode([generator, '--check'])).toMatchObject({ stderr: '', code: 0 })
})
