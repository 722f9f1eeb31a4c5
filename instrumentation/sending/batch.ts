import { eventId, eventLogRecord } from '../../model/event-log-record.ts'
import type { JsonObject } from '../../model/json.ts'
import { outgoingLine, type SentContent } from './outgoing-line.ts'
import type { SegmentLine } from './segment-lines.ts'

/** A line with the log record that stands for it, or with the reason why nothing can be sent. */
export type Entry = { line: SegmentLine } & (
  | { record: JsonObject; problem?: undefined }
  | { record?: undefined; problem: string }
)

/** The lines of one segment as log records, in their order. */
export function readEntries(
  segment: string,
  lines: readonly SegmentLine[],
  content: SentContent,
  hashKey: string | undefined,
): Entry[] {
  return lines.map((line) => {
    if (line.text === undefined)
      return { line, problem: `${line.bytes} bytes are more than a request can hold` }
    const outgoing = outgoingLine(line.text, content, { key: hashKey })
    if (outgoing.problem !== undefined) return { line, problem: outgoing.problem }
    const id = eventId(outgoing.line, outgoing.event, `${segment}:${line.offset}`)
    return { line, record: eventLogRecord(outgoing.line, outgoing.event, id) }
  })
}

/** An ExportLogsServiceRequest in OTLP's JSON encoding. */
export function logsRequest(records: readonly JsonObject[], resource: Record<string, string>): string {
  const attributes = Object.entries(resource).map(([key, value]) => ({ key, value: { stringValue: value } }))
  const scopeLogs = records.length === 0 ? [] : [{ scope: { name: 'handspan' }, logRecords: records }]
  return JSON.stringify({
    resourceLogs: scopeLogs.length === 0 ? [] : [{ resource: { attributes }, scopeLogs }],
  })
}
