import { plural } from '../model/counts.ts'
import { escapeText } from '../model/escape.ts'
import { findTokenCounter, type TokenCounter } from '../model/tokens.ts'
import { type Analysis, type AnalysisOptions, analyse, analyseTogether } from '../replay/analyse.ts'
import type { Step } from '../replay/run.ts'
import type { Settings } from '../replay/settings.ts'
import { accept, type Judged } from '../report/accepted.ts'
import { type Refused, readLogFiles } from '../store/log-files.ts'
import { type Place, readRunGroups } from '../store/log-groups.ts'
import { NO_RUN_LOG, type Unread } from '../store/readable-files.ts'
import { findRun, relatedRuns } from '../store/run-names.ts'
import { note, UsageError } from './output.ts'
import { partNames, unreadBecause } from './part-names.ts'
import { refusalNotes } from './refusal-notes.ts'
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
  const { paths, given, runs } = await partNames(names, stop)
  const log = paths.length === 0 ? { events: [], refused: [] } : await readLogFiles(paths)
  log.refused.forEach(refusalNotes())
  if (paths.length > 0 && log.events.length === 0) stop(nothingRead(given.join(', ')))
  const analyses = analyseTogether(log.events, options)
  for await (const analysis of fromStore(runs, directory, options, stop)) analyses.push(analysis)
  return { analyses, refused: log.refused }
}

/** Where that goes which could not be looked at: lines of a log, and whole files or runs. */
export type Passed = { refuse: (refused: Refused) => void; pass: (unread: Unread) => void }

/**
 * The same one run after the other, for any number of them: what has been looked at is not held. What cannot be read keeps
 * nothing else from being looked at.
 */
export async function* lookAtEach(
  names: readonly string[],
  directory: string,
  settings: Settings,
  { refuse, pass }: Passed,
  tokens?: TokenCounter,
): AsyncGenerator<LookedAt> {
  const options = await analysisOptions(settings, tokens)
  const { paths, given, runs } = await partNames(names, pass)
  // Of a file that holds nothing the reason is told once.
  let told = false
  const passFile = (unread: Unread) => {
    told = true
    pass(unread)
  }
  for await (const { events, places } of readRunGroups(paths, refuse, passFile)) {
    told ||= events.length > 0
    for (const analysis of analyseTogether(events, options)) {
      yield { analysis, placeOf: (step) => places.get(analysis.run.events[step]!) }
    }
  }
  if (!told) for (const path of given) pass(nothingRead(path))
  for await (const analysis of fromStore(runs, directory, options, pass))
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

async function analysisOptions(
  settings: Settings | undefined,
  tokens?: TokenCounter,
): Promise<AnalysisOptions> {
  const { loadConfig } = await import('./config/load.ts')
  return { tokens: tokens ?? findTokenCounter(), settings: settings ?? (await loadConfig()).settings }
}

function nothingRead(path: string): Unread {
  const file = path === '-' ? 'stdin' : path
  return {
    file,
    reason: `${file}: no event could be read`,
    remedy: NO_RUN_LOG,
  }
}

/** For a command that cannot do without any of what it was given. */
function stop({ reason, remedy }: Unread): never {
  throw new UsageError(reason, remedy)
}

async function* fromStore(
  names: readonly string[],
  directory: string,
  options: AnalysisOptions,
  pass: (unread: Unread) => void,
): AsyncGenerator<Analysis> {
  if (names.length === 0) return
  const { giveUp, openReadyStore } = await import('./with-store.ts')
  const store = await openReadyStore(directory).catch((error) => {
    pass(unreadBecause(names.join(', '), error))
  })
  if (store === undefined) return
  try {
    for (const name of names) {
      const run = await findRun(store, name).catch((error) => {
        pass(unreadBecause(name, error))
      })
      if (run === undefined) continue
      const related = await Promise.all((await relatedRuns(store, run)).map((other) => store.readRun(other)))
      yield analyse(await store.readRun(run), { ...options, related })
    }
  } finally {
    await giveUp(store)
  }
}
