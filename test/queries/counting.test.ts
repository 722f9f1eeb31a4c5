import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { counting } from '../../queries/counting.ts'
import type { Finding } from '../../replay/finding.ts'
import { type Suppression, suppress } from '../../replay/suppress.ts'
import { newFolder, opened } from '../store/folder.ts'

const CASES = resolve(import.meta.dirname, '../cases')
const TODAY = '2031-05-01'

const nameOf = ({ run, handoff, fingerprint }: Record<string, unknown>) => `${run} ${handoff} ${fingerprint}`

describe('what counts', () => {
  it('is in SQL what it is in the analysis, whatever is suppressed', async () => {
    const store = await opened(newFolder())
    onTestFinished(() => store.close())
    const files = readdirSync(CASES).filter((name) => name.endsWith('.jsonl'))
    await store.importStream(Readable.from(files.map((name) => readFileSync(join(CASES, name), 'utf8'))))
    const findings = (await store.query(
      'SELECT run, handoff, check_id AS "check", severity, agents, fingerprint FROM findings',
    )) as unknown as Finding[]
    expect(new Set(findings.map(({ check }) => check)).size).toBeGreaterThan(10)

    const some = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
    const suppression: fc.Arbitrary<Suppression> = fc.record({
      check: some(findings.map(({ check }) => check)),
      agents: some([...findings.map(({ agents }) => agents.slice(0, 1)), ["'; DROP VIEW runs; --"], []]),
      fingerprint: some(findings.map(({ fingerprint }) => fingerprint)),
      reason: fc.string(),
      until: fc.constantFrom('2031-04-30', TODAY, '2999-01-01'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(suppression, { maxLength: 3 }), async (suppressions) => {
        const ask = (sql: string) => store.query(counting(sql, suppressions, TODAY))
        const expected = suppress(findings, suppressions, TODAY)
        expect((await ask('SELECT * FROM findings')).map(nameOf).sort()).toEqual(
          expected.findings.map((one) => nameOf(one)).sort(),
        )
        expect(
          (await ask('SELECT * FROM suppressed')).map((row) => [nameOf(row), row.reason, row.until]).sort(),
        ).toEqual(
          expected.suppressed.map((one) => [nameOf(one), one.suppressed.reason, one.suppressed.until]).sort(),
        )
        for (const { run, findings: count, errors, warnings, worst } of await ask('SELECT * FROM runs')) {
          const own = expected.findings.filter((one) => one.run === run).map(({ severity }) => severity)
          const of = (severity: string) => own.filter((one) => one === severity).length
          expect([count, errors, warnings]).toEqual([own.length, of('error'), of('warning')])
          expect(worst).toBe(['error', 'warning', 'info'].find((severity) => of(severity) > 0) ?? null)
        }
      }),
      { numRuns: 25 },
    )
  })
})
