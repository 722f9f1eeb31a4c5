import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import { isLogName } from '../model/log-name.ts'
import { loadTokenCounter } from '../model/tokens.ts'
import { type Analysis, type AnalysisOptions, analyse, analyseTogether } from '../replay/analyse.ts'
import type { Step } from '../replay/run.ts'
import type { Settings } from '../replay/settings.ts'
import { accept, type Judged } from '../report/accepted.ts'
import { isLogPath, type Refused, readLogFiles } from '../store/log-files.ts'
import { type Place, readRunGroups } from '../store/log-groups.ts'
import { findRun, relatedRuns } from '../store/run-names.ts'
import { note, UsageError } from './output.ts'
import { pasted } from './render/pasted.ts'

/** What a command looks at: runs with their diffs and findings, and the lines that could not be read. */
export type Looked = { analyses: Analysis[]; refused: Refused[] }

/** One run of several, and where its events stand if they were read from files. */
export type LookedAt = { analysis: Analysis; placeOf: (step: Step) => Place | undefined }

/**
 * Analyses what the arguments name. Files and directories are read directly, without a database, and judged together;
 * anything else is a run of the store, judged together with the runs that it repeats. `settings` are those of the
 * project's configuration if they are left out.
 */
export async function lookAt(
  names: readonly string[],
  directory: string,
  settings?: Settings,
): Promise<Looked> {
  const options = await analysisOptions(settings)
  const { paths, runs } = await partNames(names)
  const log = paths.length === 0 ? { events: [], refused: [] } : await readLogFiles(paths)
  for (const one of log.refused) noteRefused(one)
  if (paths.length > 0 && log.events.length === 0) throw nothingRead(paths)
  const analyses = analyseTogether(log.events, options)
  for await (const analysis of fromStore(runs, directory, options)) analyses.push(analysis)
  return { analyses, refused: log.refused }
}

/** The same one run after the other, for any number of them: what has been looked at is not held. */
export async function* lookAtEach(
  names: readonly string[],
  directory: string,
  settings: Settings,
  refuse: (refused: Refused) => void,
): AsyncGenerator<LookedAt> {
  const options = await analysisOptions(settings)
  const { paths, runs } = await partNames(names)
  let found = paths.length === 0
  for await (const { events, places } of readRunGroups(paths, refuse)) {
    found ||= events.length > 0
    for (const analysis of analyseTogether(events, options)) {
      yield { analysis, placeOf: (step) => places.get(analysis.run.events[step]!) }
    }
  }
  if (!found) throw nothingRead(paths)
  for await (const analysis of fromStore(runs, directory, options))
    yield { analysis, placeOf: () => undefined }
}

/**
 * The one run that an argument names, without the findings that the project accepts. A file may hold several: then the first one,
 * and a note says so.
 */
export async function lookAtOne(name: string, directory: string): Promise<Judged> {
  const { loadConfig } = await import('./config/load.ts')
  const { settings, suppressions } = await loadConfig()
  const { analyses } = await lookAt([name], directory, settings)
  if (analyses.length > 1) {
    const others = analyses.slice(1).map(({ run }) => escapeText(run.id))
    note(
      `${name} holds ${plural(analyses.length, 'run')}; this is the first. The others: ${others.join(', ')}. ` +
        `${pasted(['import', name === '-' ? 'FILE' : name], directory)} stores all of them; then each can be named.`,
    )
  }
  return accept(analyses[0]!, suppressions)
}

/** Says on stderr which line could not be read, and why. */
export function noteRefused({ file, line, reason }: Refused): void {
  note(`${file}:${line}: ${reason}`)
}

async function analysisOptions(settings: Settings | undefined): Promise<AnalysisOptions> {
  const { loadConfig } = await import('./config/load.ts')
  return { tokens: await loadTokenCounter(), settings: settings ?? (await loadConfig()).settings }
}

async function partNames(names: readonly string[]): Promise<{ paths: string[]; runs: string[] }> {
  const paths: string[] = []
  const runs: string[] = []
  for (const name of names) {
    if (await isLogPath(name)) paths.push(name)
    else runs.push(notAFileName(name))
  }
  return { paths, runs }
}

/** A name that ends like a run log's means a file; the search for a run of that name would hide that it is missing. */
function notAFileName(name: string): string {
  if (isLogName(name)) throw new UsageError(`${name} does not exist`, 'Check the path.')
  return name
}

function nothingRead(paths: readonly string[]): UsageError {
  return new UsageError(
    `${paths.map((path) => (path === '-' ? 'stdin' : path)).join(', ')}: no event could be read`,
    'A run log holds one JSON object a line, each with "run" and "kind".',
  )
}

async function* fromStore(
  names: readonly string[],
  directory: string,
  options: AnalysisOptions,
): AsyncGenerator<Analysis> {
  if (names.length === 0) return
  const { openReadyStore } = await import('./with-store.ts')
  const store = await openReadyStore(directory)
  try {
    for (const name of names) {
      const run = await findRun(store, name)
      const related = await Promise.all((await relatedRuns(store, run)).map((other) => store.readRun(other)))
      yield analyse(await store.readRun(run), { ...options, related })
    }
  } finally {
    await store.close()
  }
}
