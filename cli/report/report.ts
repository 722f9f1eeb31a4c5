import { plural } from '../../model/counts.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { Finding } from '../../replay/finding.ts'
import type { Suppressed } from '../../replay/suppress.ts'
import type { Place } from '../../store/log-groups.ts'
import type { Unread } from '../../store/readable-files.ts'

/** One run as it was judged, with what the configuration and the baseline say of its findings. */
export type JudgedRun = {
  /** Without what is suppressed. */
  analysis: Analysis
  suppressed: readonly Suppressed[]
  /** True for a finding that the baseline holds. */
  isKnown: (finding: Finding) => boolean
  /** True for a finding because of which the command ends with exit code 1. */
  fails: (finding: Finding) => boolean
  /** Where the evidence of a finding stands, if the run was read from a file. */
  placeOf: (finding: Finding) => Place | undefined
}

/** What is said once all runs are judged. */
export type Totals = {
  runs: number
  refused: { file: string; line: number; reason: string }[]
  /** Files and runs that could not be read: then the command ends with exit code 2. */
  unread: readonly Unread[]
  baseline?: { file: string; known: number; gone: number } | undefined
}

/** How many lines were not judged, in words. */
export function unreadLines(count: number): string {
  return `${plural(count, 'line')} could not be read and ${count === 1 ? 'was' : 'were'} not judged`
}

/** Writes the verdicts in one format: run by run, so that any number of them can be judged, and the rest at the end. */
export type Report = {
  add(run: JudgedRun): void
  end(totals: Totals): void | Promise<void>
}

/** Makes a report that writes whole lines. */
export type ReportFormat = (write: (line: string) => void) => Report

export const FORMATS = ['text', 'json', 'junit', 'sarif', 'github', 'markdown', 'html'] as const

/** The name of a format. */
export type FormatName = (typeof FORMATS)[number]
