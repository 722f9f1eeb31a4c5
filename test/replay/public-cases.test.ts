import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { analyseTogether } from '../../replay/index.ts'

const CASES = resolve(import.meta.dirname, '../cases')

type Case = { files: string[]; expect: string[] }

const { cases, controls } = JSON.parse(readFileSync(join(CASES, 'cases.json'), 'utf8')) as Record<
  'cases' | 'controls',
  Case[]
>

function raisedBy(files: readonly string[], folder = ''): string[] {
  const events = files.flatMap((file) => {
    const lines = readFileSync(join(CASES, folder, file), 'utf8')
      .trim()
      .split('\n')
    return lines.map((line) => JSON.parse(line) as RunEvent)
  })
  const found = analyseTogether(events).flatMap(({ findings }) => findings.map(({ check }) => check))
  return [...new Set(found)].sort()
}

/*
 * docs/checks.md says that the cases raise what is expected of them and nothing beyond. Where one comes to raise more, that
 * page needs a table which says why it is right.
 */
describe('a public case', () => {
  it.each(cases.map(({ files, expect: expected }) => [files[0]!, files, expected] as const))(
    '%s raises what is expected of it, and nothing beyond',
    (_, files, expected) => {
      expect(raisedBy(files)).toEqual([...expected].sort())
    },
  )

  it.each(controls.map(({ files }) => [files[0]!, files] as const))(
    'the control %s raises nothing',
    (_, files) => {
      expect(raisedBy(files, 'controls')).toEqual([])
    },
  )
})
