import type { AnalysisOptions } from '../replay/analyse.ts'
import type { Settings } from '../replay/settings.ts'
import type { Suppression } from '../replay/suppress.ts'

/** What the project says about itself: how runs are judged, and which findings it accepts for a while. */
export type Project = { settings: Settings; suppressions: readonly Suppression[] }

export const NO_PROJECT: Project = { settings: {}, suppressions: [] }

/** How runs of a source are judged. */
export type Judging = AnalysisOptions & Pick<Project, 'suppressions'>
