import { loadTokenCounter, type TokenCounter } from '../model/tokens.ts'
import { type Analysis, analyse, analyseTogether } from '../replay/analyse.ts'
import { isLogPath, type Refused, readLogFiles } from '../store/log-files.ts'
import { findRun, relatedRuns } from '../store/run-names.ts'
import { note, UsageError } from './output.ts'

/** What a command looks at: runs with their diffs and findings, and the lines that could not be read. */
export type Looked = { analyses: Analysis[]; refused: Refused[] }

/**
 * Analyses what the arguments name. Files and directories are read directly, without a database, and judged together;
 * anything else is a run of the store, judged together with the runs that it repeats.
 */
export async function lookAt(names: readonly string[], directory: string): Promise<Looked> {
  const tokens = await loadTokenCounter()
  const paths: string[] = []
  const runs: string[] = []
  for (const name of names) ((await isLogPath(name)) ? paths : runs).push(name)
  const log = paths.length === 0 ? { events: [], refused: [] } : await readLogFiles(paths)
  for (const { file, line, reason } of log.refused) note(`${file}:${line}: ${reason}`)
  if (paths.length > 0 && log.events.length === 0) {
    throw new UsageError(
      `${paths.join(', ')}: no event could be read`,
      'A run log holds one JSON object a line, each with "run" and "kind".',
    )
  }
  const analyses = [...analyseTogether(log.events, { tokens }), ...(await fromStore(runs, directory, tokens))]
  return { analyses, refused: log.refused }
}

/** The one run that an argument names. A file may hold several: then the first one, and a note says so. */
export async function lookAtOne(name: string, directory: string): Promise<Analysis> {
  const { analyses } = await lookAt([name], directory)
  if (analyses.length > 1) {
    const others = analyses.slice(1).map(({ run }) => run.id)
    note(`${name} holds ${analyses.length} runs; this is the first. The others: ${others.join(', ')}`)
  }
  return analyses[0]!
}

async function fromStore(
  names: readonly string[],
  directory: string,
  tokens: TokenCounter,
): Promise<Analysis[]> {
  if (names.length === 0) return []
  const { withStore } = await import('./with-store.ts')
  return withStore(directory, async (store) => {
    const out: Analysis[] = []
    for (const name of names) {
      const run = await findRun(store, name)
      const related = await Promise.all((await relatedRuns(store, run)).map((other) => store.readRun(other)))
      out.push(analyse(await store.readRun(run), { related, tokens }))
    }
    return out
  })
}
