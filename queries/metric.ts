/** What a column holds, for whoever formats it. A share is from 0 to 1. */
export type Unit = 'text' | 'time' | 'count' | 'share' | 'ratio' | 'bytes' | 'tokens' | 'ms'

export type MetricColumn = { name: string; unit: Unit; meaning: string }

/** `fallback` is what the metric takes when the variable is not set, as SQL text. */
export type MetricParameter = { name: string; type: string; fallback: string; meaning: string }

/** A named question about handoffs: a query over the views, and what its file's header says of it. */
export type Metric = {
  name: string
  title: string
  question: string
  /** How things are counted, where the columns do not say it. */
  notes: string[]
  /** Which side `slice = 'agent'` means. */
  agent: 'sender' | 'receiver'
  /** Least schema version of the store that it needs. */
  schema: number
  parameters: MetricParameter[]
  /** Columns of its answer, in order. `slice` is the first and `value` the second one. */
  columns: MetricColumn[]
  /** The file as it is: it runs in the DuckDB shell as well, with SET VARIABLE for the parameters. */
  sql: string
}
