import { isLogName } from '../model/log-name.ts'
import { findTokenCounter } from '../model/tokens.ts'
import { counting } from '../queries/counting.ts'
import type { Metric } from '../queries/metric.ts'
import { runMetric, type Slice } from '../queries/run-metric.ts'
import { analyse } from '../replay/analyse.ts'
import type { Severity } from '../replay/finding.ts'
import { accept, type Judged, today } from '../report/accepted.ts'
import { type OnProgress, openStore, type QueryRow, type Store } from '../store/index.ts'
import { findRun, relatedRuns } from '../store/run-names.ts'
import type { Schema } from './completion.ts'
import { analyseFile } from './file-source.ts'
import { filterSql } from './filter.ts'
import { type Judging, NO_PROJECT, type Project } from './project.ts'
import type { ListedFinding, RunQuery, RunRow, Sort, Source } from './source.ts'

const ORDER: Record<Sort, string> = {
  time: 'started_at DESC NULLS LAST, run DESC',
  findings: 'errors DESC, warnings DESC, findings DESC, started_at DESC NULLS LAST, run DESC',
  'in doubt': 'in_doubt DESC, started_at DESC NULLS LAST, run DESC',
}

const SQL_ROWS = 10_000
const SQL_MILLISECONDS = 30_000

/** The runs of a store, page by page: nothing but what is looked at is read. */
export async function openStoreSource(directory: string, project: Project = NO_PROJECT): Promise<Source> {
  return new StoreSource(await openStore(directory, { settings: project.settings }), project)
}

class StoreSource implements Source {
  readonly name: string
  readonly directory: string
  judging: Judging
  readonly #store: Store
  readonly #elsewhere = new Map<string, string | undefined>()
  #kept: { run: string; seen: string; analysis: Promise<Judged> } | undefined
  #lastSeen: string | undefined

  constructor(store: Store, judging: Judging) {
    this.judging = { ...judging, tokens: findTokenCounter() }
    this.#store = store
    this.name = store.paths.directory
    this.directory = store.paths.directory
  }

  async count({ terms }: RunQuery): Promise<number> {
    const { where, parameters } = filterSql(terms)
    const rows = await this.#counting(`SELECT count(*) AS runs FROM runs WHERE ${where}`, parameters)
    return Number(rows[0]!.runs)
  }

  async page({ terms, sort }: RunQuery, offset: number, limit: number): Promise<RunRow[]> {
    const { where, parameters } = filterSql(terms)
    const rows = await this.#counting(
      `SELECT * EXCLUDE (labels) FROM runs WHERE ${where} ORDER BY ${ORDER[sort]} LIMIT ${limit} OFFSET ${offset}`,
      parameters,
    )
    return rows.map(runRow)
  }

  async find(query: RunQuery, text: string, from: number, direction: 1 | -1): Promise<number | undefined> {
    const { where, parameters } = filterSql(query.terms)
    const match = filterSql([{ field: 'text', value: text, negated: false }])
    const condition = match.where.replaceAll('$1', `$${parameters.length + 1}`)
    const order = ORDER[query.sort]
    const rows = await this.#counting(
      `SELECT place FROM (SELECT *, row_number() OVER (ORDER BY ${order}) - 1 AS place FROM runs WHERE ${where})
       WHERE ${condition} AND place ${direction > 0 ? '>=' : '<='} ${from} ORDER BY place ${direction > 0 ? 'ASC' : 'DESC'} LIMIT 1`,
      [...parameters, ...match.parameters],
    )
    return rows[0] === undefined ? undefined : Number(rows[0].place)
  }

  /** Findings that the project accepts are in the store, but neither listed nor counted nor found by a filter. */
  #counting(sql: string, parameters: readonly string[] = []): Promise<QueryRow[]> {
    return this.#store.query(counting(sql, this.judging.suppressions, today()), parameters)
  }

  async analysis(name: string): Promise<Judged> {
    const run = await findRun(this.#store, name)
    if (this.#kept?.run !== run)
      this.#kept = { run, seen: await this.#seenOf(run), analysis: this.#analyse(run) }
    return this.#kept.analysis
  }

  /** What there is of a run and of those that are judged with it: a number that grows with each of their events. */
  #seenOf(run: string): Promise<string> {
    return this.#seen(
      `WITH mine AS (SELECT coalesce(replay_of, run) AS original FROM runs WHERE run = $1)
       SELECT sum(events) AS events FROM runs, mine WHERE run = $1 OR run = original OR replay_of = original`,
      [run],
    )
  }

  async #seen(sql: string, parameters: readonly string[] = []): Promise<string> {
    return JSON.stringify(await this.#store.query(sql, parameters))
  }

  async #analyse(run: string): Promise<Judged> {
    const others = await relatedRuns(this.#store, run)
    const related = await Promise.all(others.map((other) => this.#store.readRun(other)))
    const events = await this.#store.readRun(run)
    return accept(analyse(events, { ...this.judging, related }), this.judging.suppressions)
  }

  async analysisOfFile(path: string): Promise<Judged> {
    const { analysis, called } = await analyseFile(path, this.judging)
    this.#elsewhere.set(analysis.run.id, called)
    return analysis
  }

  called(run: string): string | undefined {
    if (this.#elsewhere.has(run)) return this.#elsewhere.get(run)
    // Such an argument is taken for stdin or for a file.
    return run === '-' || isLogName(run) ? undefined : run
  }

  async findings(limit: number): Promise<{ findings: ListedFinding[]; total: number; suppressed: number }> {
    const [rows, count] = await Promise.all([
      this.#counting(
        `SELECT f.* FROM findings f JOIN runs r USING (run)
         ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, r.started_at DESC NULLS LAST,
           f.run, f.handoff LIMIT ${limit}`,
      ),
      this.#counting(
        'SELECT (SELECT count(*) FROM findings) AS findings, (SELECT count(*) FROM suppressed) AS suppressed',
      ),
    ])
    const { findings: total, suppressed } = count[0]!
    return { findings: rows.map(listedFinding), total: Number(total), suppressed: Number(suppressed) }
  }

  async refresh(onProgress?: OnProgress): Promise<boolean> {
    const everything = 'SELECT count(*) AS runs, sum(events) AS events FROM runs'
    this.#lastSeen ??= await this.#seen(everything)
    await this.#store.ingest(onProgress)
    // Whoever else has the store open may have taken it in already, so what is there now decides, not what came in here.
    const seen = await this.#seen(everything)
    const news = seen !== this.#lastSeen
    this.#lastSeen = seen
    if (news && this.#kept !== undefined && this.#kept.seen !== (await this.#seenOf(this.#kept.run)))
      this.#kept = undefined
    return news
  }

  async schema(): Promise<Schema> {
    const rows = await this.#store.query(
      `SELECT table_name, list(column_name ORDER BY column_index) AS columns FROM duckdb_columns()
       WHERE schema_name = 'main' AND NOT internal GROUP BY table_name ORDER BY table_name`,
    )
    return new Map(rows.map(({ table_name, columns }) => [String(table_name), columns as string[]]))
  }

  sql(query: string) {
    return this.#store.readOnlyQuery(query, { limit: SQL_ROWS, timeoutMs: SQL_MILLISECONDS })
  }

  metric(metric: Metric, by: Slice | undefined) {
    return runMetric(this.#store, metric, { by, limit: SQL_ROWS, timeoutMs: SQL_MILLISECONDS })
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function runRow(row: QueryRow): RunRow {
  const principal = [row.principal_kind, row.principal_id]
    .filter((word) => typeof word === 'string')
    .join(' ')
  return {
    run: String(row.run),
    startedAt: textOrNone(row.started_at),
    agents: row.agents as string[],
    handoffs: Number(row.handoffs),
    operations: Number(row.operations),
    inDoubt: Number(row.in_doubt),
    errors: Number(row.errors),
    warnings: Number(row.warnings),
    findings: Number(row.findings),
    events: Number(row.events),
    outcome: textOrNone(row.outcome),
    ended: row.ended === true,
    principal: principal === '' ? undefined : principal,
  }
}

function listedFinding(row: QueryRow): ListedFinding {
  return {
    run: String(row.run),
    handoff: textOrNone(row.handoff),
    attempt: typeof row.attempt === 'number' ? row.attempt : undefined,
    check: String(row.check_id),
    severity: row.severity as Severity,
    agents: row.agents as string[],
    subject: { kind: String(row.subject_kind), id: String(row.subject) },
    message: String(row.message),
    evidence: row.evidence as unknown as ListedFinding['evidence'],
    remedy: String(row.remedy),
    attribution: textOrNone(row.attribution) as ListedFinding['attribution'],
  }
}
