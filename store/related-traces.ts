import { type DuckDBConnection, listValue } from './duckdb.ts'

/*
 * Which traces may be of one run, by the ids that a provider gave (and that two instrumentations both saw, at the same
 * time) and by the run that spans of handspan name. This finds candidates; whether they are one run the importer says.
 */

/** Each instrumentation sees a call at its own hook. */
const SLACK_NANOS = 1_000_000_000

const EDGES = `
  WITH own AS (
    SELECT trace, unnest(keys) AS key, started, ended, named_run FROM base.spans WHERE trace IN (SELECT unnest($1))
  ), bounds AS (
    SELECT min(started) - ${SLACK_NANOS} AS first, max(ended) + ${SLACK_NANOS} AS last FROM own
  ), others AS (
    SELECT trace, unnest(keys) AS key, started, ended FROM base.spans, bounds WHERE started <= last AND ended >= first
  )
  SELECT DISTINCT own.trace, others.trace FROM own JOIN others ON own.key = others.key AND own.trace <> others.trace
    AND others.started <= own.ended + ${SLACK_NANOS} AND others.ended >= own.started - ${SLACK_NANOS}
  UNION
  SELECT DISTINCT a.trace, b.trace FROM base.spans a JOIN base.spans b ON a.named_run = b.named_run AND a.trace <> b.trace
  WHERE a.trace IN (SELECT unnest($1))`

// Traces of one run are few. What goes further is a chain of ids that scripted models repeat.
const ROUNDS = 4

/** The given traces and those related to them, in groups. */
export async function relatedTraces(
  connection: DuckDBConnection,
  traces: readonly string[],
): Promise<string[][]> {
  const leaders = new Map<string, string>(traces.map((trace) => [trace, trace]))
  const leaderOf = (trace: string): string => {
    let at = trace
    while (leaders.get(at) !== at) at = leaders.get(at)!
    return at
  }
  let fresh: string[] = [...leaders.keys()]
  for (let round = 0; fresh.length > 0 && round < ROUNDS; round++) {
    const result = await connection.runAndReadAll(EDGES, [listValue(fresh)])
    fresh = []
    for (const [a, b] of result.getRows() as [string, string][]) {
      for (const trace of [a, b]) {
        if (leaders.has(trace)) continue
        leaders.set(trace, trace)
        fresh.push(trace)
      }
      const [one, other] = [leaderOf(a), leaderOf(b)].sort() as [string, string]
      leaders.set(other, one)
    }
  }
  const groups = new Map<string, string[]>()
  for (const trace of [...leaders.keys()].sort()) {
    const leader = leaderOf(trace)
    groups.set(leader, [...(groups.get(leader) ?? []), trace])
  }
  return [...groups.values()]
}
