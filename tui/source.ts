import type { Metric } from '../queries/metric.ts'
import type { Slice } from '../queries/run-metric.ts'
import type { Finding } from '../replay/finding.ts'
import type { Judged } from '../report/accepted.ts'
import type { OnProgress, QueryAnswer } from '../store/index.ts'
import type { Refused } from '../store/log-files.ts'
import type { Unread } from '../store/readable-files.ts'
import type { Schema } from './completion.ts'
import type { Term } from './filter.ts'
import type { Judging } from './project.ts'

/** A run as the list shows it. Times in RFC 3339, UTC. */
export type RunRow = {
  run: string
  startedAt?: string | undefined
  agents: string[]
  handoffs: number
  operations: number
  inDoubt: number
  errors: number
  warnings: number
  findings: number
  events: number
  outcome?: string | undefined
  ended: boolean
  principal?: string | undefined
}

export const SORTS = ['time', 'findings', 'in doubt'] as const
export type Sort = (typeof SORTS)[number]

export type RunQuery = { terms: readonly Term[]; sort: Sort }

/** A finding of any run. */
export type ListedFinding = Pick<
  Finding,
  | 'run'
  | 'handoff'
  | 'attempt'
  | 'check'
  | 'severity'
  | 'agents'
  | 'subject'
  | 'message'
  | 'evidence'
  | 'remedy'
  | 'attribution'
>

/** Where runs come from: a store, or run-log files that are read directly. */
export interface Source {
  /** What the user calls it. */
  readonly name: string
  /** Directory of the captures, where new runs can be recorded; undefined for files. */
  readonly directory?: string | undefined
  /** How its runs are judged. */
  readonly judging: Judging
  /** The files that it reads, `-` for stdin; undefined for a store. */
  readonly paths?: readonly string[]
  /** Lines of its files that could not be read. */
  readonly refused?: readonly Refused[]
  /** What it was to read and could not. */
  readonly unread?: readonly Unread[]
  count(query: RunQuery): Promise<number>
  page(query: RunQuery, offset: number, limit: number): Promise<RunRow[]>
  /** Place of the next run that holds the text, from a place on; undefined if there is none. */
  find(query: RunQuery, text: string, from: number, direction: 1 | -1): Promise<number | undefined>
  /** A run, folded, diffed and checked. The last one asked for is kept. Throws if there is none. */
  analysis(name: string): Promise<Judged>
  /** The first run of a run-log file that holds a handoff; the first one if none does. */
  analysisOfFile(path: string): Promise<Judged>
  /** What a command calls a run; undefined if it cannot name it: a run from stdin, or another one than the first of a file. */
  called(run: string): string | undefined
  /** The gravest findings first, how many count, and how many the project accepts. */
  findings(limit: number): Promise<{ findings: ListedFinding[]; total: number; suppressed: number }>
  /** Takes in what agents have written since; true if something was new. */
  refresh(onProgress?: OnProgress): Promise<boolean>
  /** The views and their columns; undefined as for `sql`. */
  schema?(): Promise<Schema>
  /** Rows of a query that only reads; undefined if the source cannot be asked in SQL. */
  sql?(query: string): Promise<QueryAnswer>
  /** The answer of a metric over all runs; undefined as for `sql`. */
  metric?(metric: Metric, by: Slice | undefined): Promise<QueryAnswer>
  close(): Promise<void>
}
