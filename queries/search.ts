import { isObject } from '../model/json.ts'
import type { QueryRow, Store } from '../store/index.ts'
import { findInValue, formsOf, type Place } from './find-text.ts'

/** What is searched: a text as it is, in all runs or one, within a window of time (ISO 8601, UTC). */
export type SearchRequest = {
  text: string
  ignoreCase: boolean
  run?: string | undefined
  since?: string | undefined
  until?: string | undefined
  limit: number
  timeoutMs: number
}

/** A place that holds the text. `side`, `position` and `type` are those of the item, if it stands in one. */
export type SearchHit = Place & {
  run: string
  seq: number | null
  time: string | null
  kind: string
  agent: string | null
  handoff: string | null
  attempt: number | null
  side: 'sender' | 'receiver' | null
  position: number | null
  type: string | null
}

/** `truncated`: there may be more hits than the limit. */
export type SearchAnswer = { hits: SearchHit[]; truncated: boolean }

// A run, and those that were joined into it: their events stand where they were recorded.
const OF_RUN = `SELECT getvariable('run')::VARCHAR
  UNION ALL SELECT orphan FROM joined j WHERE j.run = getvariable('run')::VARCHAR`

/**
 * The query for events that may hold the text, the latest first. A line is JSON, so the text may stand in it in several
 * forms; which lines really hold it is found out when they are read.
 */
export function searchSql({ text, ignoreCase, run, limit }: SearchRequest): string {
  const line = ignoreCase ? 'lower(body::VARCHAR)' : 'body::VARCHAR'
  const holds = formsOf(text, ignoreCase).map((form) => `contains(${line}, '${form.replaceAll("'", "''")}')`)
  // Each event that is found holds the text at least once, but for a form that stands where no text does: a field's name.
  return `SELECT run, seq, time, kind, agent, body::VARCHAR AS body FROM events
WHERE (${holds.join(' OR ')})
  ${run === undefined ? '' : `AND run IN (${OF_RUN})`}
  AND coalesce(time, '-infinity') >= coalesce(getvariable('since')::TIMESTAMP, '-infinity')
  AND coalesce(time, '-infinity') < coalesce(getvariable('until')::TIMESTAMP, 'infinity')
ORDER BY time DESC NULLS LAST, run, seq DESC LIMIT ${limit + 1}`
}

/** Searches the content of a store or a lake: items, records, arguments, results, messages. Throws StoreError. */
export async function searchContent(
  store: Pick<Store, 'readOnlyQuery'>,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const { rows } = await store.readOnlyQuery(searchSql(request), {
    limit: request.limit + 1,
    timeoutMs: request.timeoutMs,
    variables: {
      run: request.run ?? null,
      since: request.since?.replace('Z', '') ?? null,
      until: request.until?.replace('Z', '') ?? null,
    },
  })
  const hits = rows.flatMap((row) => hitsOf(row, request))
  return {
    hits: hits.slice(0, request.limit),
    truncated: rows.length > request.limit || hits.length > request.limit,
  }
}

function hitsOf(row: QueryRow, { text, ignoreCase }: SearchRequest): SearchHit[] {
  const event = parsed(String(row.body))
  const about = {
    run: String(row.run),
    seq: row.seq === null ? null : Number(row.seq),
    time: row.time === null ? null : String(row.time),
    kind: String(row.kind),
    agent: row.agent === null ? null : String(row.agent),
    handoff: isObject(event) && typeof event.handoff === 'string' ? event.handoff : null,
    attempt: isObject(event) && typeof event.attempt === 'number' ? event.attempt : null,
  }
  return findInValue(event, text, ignoreCase).map((place) => ({
    ...about,
    ...place,
    ...itemOf(event, place),
  }))
}

/** A line that DuckDB cannot read comes as a JSON string that holds it. */
function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'string' ? JSON.parse(value) : value
  } catch {
    return body
  }
}

function itemOf(event: unknown, { path }: Place): Pick<SearchHit, 'side' | 'position' | 'type'> {
  const match = /^(items_before|items)\[(\d+)\]/.exec(path)
  if (match === null || !isObject(event)) return { side: null, position: null, type: null }
  const [, list, index] = match
  const items = event[list!]
  const item: unknown = Array.isArray(items) ? items[Number(index)] : undefined
  return {
    side: list === 'items_before' ? 'sender' : 'receiver',
    position: Number(index),
    type: isObject(item) && typeof item.type === 'string' ? item.type : null,
  }
}
