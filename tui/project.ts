import type { Analysis, AnalysisOptions } from '../replay/analyse.ts'
import type { Settings } from '../replay/settings.ts'
import { type Suppressed, type Suppression, suppress } from '../replay/suppress.ts'

/** What the project says about itself: how runs are judged, and which findings it accepts for a while. */
export type Project = { settings: Settings; suppressions: readonly Suppression[] }

export const NO_PROJECT: Project = { settings: {}, suppressions: [] }

/** An analysis as the project has it: without the findings that it accepts, which are kept apart. */
export type Judged = Analysis & { suppressed: readonly Suppressed[] }

/** How runs of a source are judged. */
export type Judging = AnalysisOptions & Pick<Project, 'suppressions'>

export function accept(analysis: Analysis, { suppressions }: Pick<Project, 'suppressions'>): Judged {
  const today = new Date().toISOString().slice(0, 10)
  return { ...analysis, ...suppress(analysis.findings, suppressions, today) }
}
