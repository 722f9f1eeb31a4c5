import { type QueryAnswer, type QueryBounds, SCHEMA_VERSION, type Store, StoreError } from '../store/index.ts'
import type { Metric } from './metric.ts'
import type { TimeWindow } from './time-window.ts'

/** By what a metric is split: one row for each of them. */
export const SLICES = ['pair', 'agent', 'day', 'framework', 'style'] as const
export type Slice = (typeof SLICES)[number]

export type MetricRequest = TimeWindow & { by?: Slice | undefined }

/** A query and the variables that it reads: what `Store.readOnlyQuery` takes. */
export type MetricQuery = { sql: string; variables: NonNullable<QueryBounds['variables']> }

/** The query of a metric. Pure: the text is the file's own, whatever is asked goes into the variables. */
export function metricQuery(metric: Metric, { since, until, by }: MetricRequest): MetricQuery {
  return {
    sql: metric.sql,
    // TIMESTAMP has no zone: the views are in UTC.
    variables: {
      since: since?.replace('Z', '') ?? null,
      until: until?.replace('Z', '') ?? null,
      slice: by ?? null,
    },
  }
}

/**
 * Runs a metric. Throws StoreError: `query-failed` where its SQL is broken, naming the metric; `newer-schema` where it
 * needs a newer store; `timed-out`.
 */
export async function runMetric(
  store: Pick<Store, 'readOnlyQuery'>,
  metric: Metric,
  request: MetricRequest & { limit: number; timeoutMs: number },
): Promise<QueryAnswer> {
  if (metric.schema > SCHEMA_VERSION) {
    throw new StoreError(
      'newer-schema',
      `The metric ${metric.name} needs schema version ${metric.schema}; this store has ${SCHEMA_VERSION}.`,
      { remedy: 'Use a newer handspan.' },
    )
  }
  const { sql, variables } = metricQuery(metric, request)
  try {
    return await store.readOnlyQuery(sql, {
      variables,
      limit: request.limit,
      timeoutMs: request.timeoutMs,
    })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'query-failed') throw error
    throw new StoreError('query-failed', `The metric ${metric.name} cannot be run: ${error.message}`, {
      remedy: 'Its file in queries/metrics does not fit the views. docs/store.md lists them.',
      cause: error,
    })
  }
}
