import { stat } from 'node:fs/promises'
import { findTokenCounter } from '../model/tokens.ts'
import { type Analysis, analyseTogether } from '../replay/analyse.ts'
import { isInDoubt, latest } from '../replay/history.ts'
import { accept, type Judged } from '../report/accepted.ts'
import { StoreError } from '../store/errors.ts'
import { type ReadLog, type Refused, readLogFiles } from '../store/log-files.ts'
import { NO_RUN_LOG, readableFiles, type Unread } from '../store/readable-files.ts'
import { type Filtered, passes } from './filter.ts'
import { type Judging, NO_PROJECT, type Project } from './project.ts'
import type { ListedFinding, RunQuery, RunRow, Sort, Source } from './source.ts'

/** The runs of run-log files, read directly and judged together. Throws `unreadable` if none of them holds an event. */
export async function openFileSource(
  paths: readonly string[],
  project: Project = NO_PROJECT,
): Promise<Source> {
  const judging = { ...project, tokens: findTokenCounter() }
  let found = await findLogs(paths)
  const read = async () => {
    const { events, refused } = await readEvents(found)
    return { analyses: analyseTogether(events, judging), refused, unread: found.unread }
  }
  const first = await read()
  const again = async () => {
    const now = await findLogs(paths)
    if (now.state === found.state) return undefined
    found = now
    return read()
  }
  return sourceOf(paths.join(' '), first.analyses, { ...first, paths, judging, again })
}

/** The files that paths name, and what cannot be read. `state` changes when a file grows or another one is there. */
type Logs = { files: string[]; unread: Unread[]; state: string }

async function findLogs(paths: readonly string[]): Promise<Logs> {
  const unread: Unread[] = []
  const files: string[] = []
  for (const path of paths) {
    files.push(...(path === '-' ? [path] : await readableFiles(path, (one) => unread.push(one))))
  }
  return { files, unread, state: (await Promise.all(files.map(stateOfFile))).join('\n') }
}

/** Of stdin there is no more. */
async function stateOfFile(file: string): Promise<string> {
  if (file === '-') return file
  const { size, mtimeMs } = await stat(file)
  return `${file} ${size} ${mtimeMs}`
}

/**
 * The first run of a run-log file that holds a handoff, the first one if none does, and what a command calls it. Throws as
 * `openFileSource` does.
 */
export async function analyseFile(
  path: string,
  judging: Judging,
): Promise<{ analysis: Judged; called: string | undefined }> {
  const analyses = analyseTogether((await readEvents(await findLogs([path]))).events, judging)
  const chosen = analyses.find(({ diffs }) => diffs.length > 0) ?? analyses[0]!
  return {
    analysis: accept(chosen, judging.suppressions),
    called: calledIn([path], analyses[0], chosen.run.id),
  }
}

/** A command that is given a file takes its first run. */
function calledIn(
  paths: readonly string[],
  first: Pick<Analysis, 'run'> | undefined,
  run: string,
): string | undefined {
  const [path, ...others] = paths
  return others.length === 0 && path !== '-' && first?.run.id === run ? path : undefined
}

async function readEvents({ files, unread }: Logs): Promise<ReadLog> {
  const log = await readLogFiles(files)
  if (log.events.length > 0) return log
  const [first] = log.refused
  const why = first === undefined ? '' : ` (${first.file}:${first.line}: ${first.reason})`
  const nothing = files.length === 0 ? [] : [`${files.join(', ')}: no event could be read${why}`]
  throw new StoreError('unreadable', [...unread.map(({ reason }) => reason), ...nothing].join('\n'), {
    remedy: unread[0]?.remedy ?? NO_RUN_LOG,
  })
}

type Read = { analyses: readonly Analysis[]; refused: readonly Refused[]; unread: readonly Unread[] }

/**
 * A source of runs that were analysed already. `refused`, `unread`: lines and files that could not be read. `again` reads
 * anew what changed since; undefined if nothing did.
 */
export function sourceOf(
  name: string,
  analyses: readonly Analysis[],
  {
    paths = [],
    judging = NO_PROJECT,
    refused = [],
    unread = [],
    again = async () => undefined,
  }: {
    paths?: readonly string[]
    judging?: Judging
    refused?: readonly Refused[]
    unread?: readonly Unread[]
    again?: () => Promise<Read | undefined>
  } = {},
): Source {
  return new FileSource(name, paths, { analyses, refused, unread }, judging, again)
}

type Entry = { row: RunRow; filtered: Filtered; analysis: Judged }

class FileSource implements Source {
  readonly name: string
  readonly paths: readonly string[]
  readonly judging: Judging
  readonly #elsewhere = new Map<string, string | undefined>()
  readonly #again: () => Promise<Read | undefined>
  refused: readonly Refused[] = []
  unread: readonly Unread[] = []
  #entries: Entry[] = []

  constructor(
    name: string,
    paths: readonly string[],
    read: Read,
    judging: Judging,
    again: () => Promise<Read | undefined>,
  ) {
    this.name = name
    this.paths = paths
    this.judging = judging
    this.#again = again
    this.#take(read)
  }

  #take({ analyses, refused, unread }: Read): void {
    this.refused = refused
    this.unread = unread
    this.#entries = analyses.map((analysis) => entryOf(accept(analysis, this.judging.suppressions)))
  }

  async count(query: RunQuery): Promise<number> {
    return this.#ordered(query).length
  }

  async page(query: RunQuery, offset: number, limit: number): Promise<RunRow[]> {
    return this.#ordered(query)
      .slice(offset, offset + limit)
      .map(({ row }) => row)
  }

  async find(query: RunQuery, text: string, from: number, direction: 1 | -1): Promise<number | undefined> {
    const entries = this.#ordered(query)
    for (let at = from; at >= 0 && at < entries.length; at += direction) {
      if (passes([{ field: 'text', value: text, negated: false }], entries[at]!.filtered)) return at
    }
    return undefined
  }

  async analysis(name: string): Promise<Judged> {
    const found = this.#entries.filter(({ row }) => row.run === name)
    const like = found.length > 0 ? found : this.#entries.filter(({ row }) => row.run.includes(name))
    if (like.length === 1) return like[0]!.analysis
    throw new StoreError(
      'no-such-run',
      `${name} ${like.length === 0 ? 'is no run' : 'means several runs'} of ${this.name}`,
      {
        remedy: 'The list of runs shows every id.',
      },
    )
  }

  async analysisOfFile(path: string): Promise<Judged> {
    const { analysis, called } = await analyseFile(path, this.judging)
    this.#elsewhere.set(analysis.run.id, called)
    return analysis
  }

  called(run: string): string | undefined {
    const own = this.#entries.some(({ row }) => row.run === run)
    return own ? calledIn(this.paths, this.#entries[0]!.analysis, run) : this.#elsewhere.get(run)
  }

  async findings(limit: number): Promise<{ findings: ListedFinding[]; total: number; suppressed: number }> {
    const all = this.#entries.flatMap(({ analysis }) => analysis.findings)
    const ranked = [...all].sort((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity))
    const suppressed = this.#entries.reduce((sum, { analysis }) => sum + analysis.suppressed.length, 0)
    return { findings: ranked.slice(0, limit), total: all.length, suppressed }
  }

  async refresh(): Promise<boolean> {
    const read = await this.#again()
    if (read !== undefined) this.#take(read)
    return read !== undefined
  }

  async close(): Promise<void> {}

  #ordered({ terms, sort }: RunQuery): Entry[] {
    return this.#entries.filter(({ filtered }) => passes(terms, filtered)).sort(COMPARE[sort])
  }
}

const RANK = ['error', 'warning', 'info']

const newestFirst = (a: Entry, b: Entry) =>
  (b.row.startedAt ?? '').localeCompare(a.row.startedAt ?? '') || b.row.run.localeCompare(a.row.run)

const COMPARE: Record<Sort, (a: Entry, b: Entry) => number> = {
  time: newestFirst,
  findings: (a, b) =>
    b.row.errors - a.row.errors ||
    b.row.warnings - a.row.warnings ||
    b.row.findings - a.row.findings ||
    newestFirst(a, b),
  'in doubt': (a, b) => b.row.inDoubt - a.row.inDoubt || newestFirst(a, b),
}

function entryOf(analysis: Judged): Entry {
  const { run, findings } = analysis
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  const inDoubt = [...run.operations.values()].filter((operation) => isInDoubt(operation, latest(operation)))
  const principal = [run.principal?.kind, run.principal?.id].filter((word) => word !== undefined).join(' ')
  const row: RunRow = {
    run: run.id,
    startedAt: run.startedAt,
    agents: [...run.agents.keys()],
    handoffs: run.handoffs.length,
    operations: run.operations.size,
    inDoubt: inDoubt.length,
    errors: count('error'),
    warnings: count('warning'),
    findings: findings.length,
    events: run.events.length,
    outcome: run.outcome,
    ended: run.ended,
    principal: principal === '' ? undefined : principal,
  }
  return { row, analysis, filtered: { ...row, inDoubt: inDoubt.length, findings } }
}
