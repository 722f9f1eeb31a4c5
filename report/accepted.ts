import { plural } from '../model/counts.ts'
import type { Analysis } from '../replay/analyse.ts'
import { type Suppressed, type Suppression, suppress } from '../replay/suppress.ts'

/** An analysis as the project has it: without the findings that it accepts for a while, which are kept apart. */
export type Judged = Analysis & { suppressed: readonly Suppressed[] }

/** Parts the findings of an analysis by what holds today: suppressions end, so they are applied when a run is read. */
export function accept(analysis: Analysis, suppressions: readonly Suppression[]): Judged {
  return { ...analysis, ...suppress(analysis.findings, suppressions, today()) }
}

/** The day, as suppressions have it: YYYY-MM-DD in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** What is suppressed in a line each for check, end and reason: `2 findings of op-altered suppressed until …: …`. */
export function suppressedWords(all: readonly Pick<Suppressed, 'check' | 'suppressed'>[]): string[] {
  const groups = new Map<string, { count: number; check: string; until: string; reason: string }>()
  for (const { check, suppressed } of all) {
    const name = JSON.stringify([check, suppressed.until, suppressed.reason])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { count: 1, check, ...suppressed })
    else group.count++
  }
  return [...groups.values()].map(
    ({ count, check, until, reason }) =>
      `${plural(count, 'finding')} of ${check} suppressed until ${until}: ${reason}`,
  )
}
