import { isObject, type JsonObject } from '../model/json.ts'
import { holdsMoreContainers } from './count-containers.ts'
import { DecodeError } from './decode-error.ts'
import { faultOfIds, SPAN_DIGITS, TRACE_DIGITS, validId } from './ids.ts'
import { countField, type Fields, listField, nanosField, objectOf, textField } from './json-fields.ts'
import { attributesField, valueOfJson } from './json-values.ts'
import { CONTAINERS_AT_MOST, RECORDS_AT_MOST } from './limits.ts'
import type { LogRecord } from './log-record.ts'
import type { Refused } from './refused.ts'
import type { Span } from './span.ts'
import { kindOf, statusOf } from './span-words.ts'

/*
 * OTLP's JSON encoding. It is not protobuf's own JSON mapping (ids are hex, unknown fields are to be ignored), so it is
 * read by hand. Depths are counted as in protobuf, a record being at 1.
 */

type Origin = { resource: JsonObject; scope: { name: string; version?: string } }
type Located = { origin: Origin; record: Fields }

/** The spans of an ExportTraceServiceRequest in JSON, one at a time. Throws DecodeError. */
export function* spansOfJson(request: Uint8Array): Generator<Span | Refused> {
  for (const { origin, record } of recordsOf(request, ['resourceSpans', 'scopeSpans', 'spans'])) {
    yield spanOf(record, origin)
  }
}

/** The records of an ExportLogsServiceRequest in JSON, one at a time. Throws DecodeError. */
export function* logRecordsOfJson(request: Uint8Array): Generator<LogRecord> {
  for (const { origin, record } of recordsOf(request, ['resourceLogs', 'scopeLogs', 'logRecords'])) {
    yield logRecordOf(record, origin)
  }
}

function* recordsOf(
  request: Uint8Array,
  [ofResources, ofScopes, records]: [string, string, string],
): Generator<Located> {
  let count = 0
  for (const group of listField(parse(request), ofResources)) {
    const ofResource = objectOf(group, ofResources)
    const resource = attributesField(objectOf(ofResource.resource, 'resource'), 1)
    for (const inner of listField(ofResource, ofScopes)) {
      const ofScope = objectOf(inner, ofScopes)
      const origin = { resource, scope: scopeOf(objectOf(ofScope.scope, 'scope')) }
      for (const record of listField(ofScope, records)) {
        if (++count > RECORDS_AT_MOST) {
          throw new DecodeError(`more than ${RECORDS_AT_MOST} records: send smaller batches`, 'too-large')
        }
        yield { origin, record: objectOf(record, records) }
      }
    }
  }
}

function parse(request: Uint8Array): Fields {
  if (holdsMoreContainers(request, CONTAINERS_AT_MOST)) {
    throw new DecodeError(
      `more than ${CONTAINERS_AT_MOST} objects and lists: send smaller batches`,
      'too-large',
    )
  }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(request))
  } catch (error) {
    throw new DecodeError(`the request is not valid JSON: ${(error as Error).message}`, 'malformed', error)
  }
  if (!isObject(value)) throw new DecodeError('the request is not a JSON object')
  return value
}

function scopeOf(scope: Fields): Origin['scope'] {
  const name = textField(scope, 'name')
  const version = textField(scope, 'version')
  return version === '' ? { name } : { name, version }
}

function spanOf(span: Fields, origin: Origin): Span | Refused {
  const traceId = textField(span, 'traceId')
  const spanId = textField(span, 'spanId')
  const parentSpanId = textField(span, 'parentSpanId')
  const fault = faultOfIds(traceId, spanId, parentSpanId)
  if (fault !== undefined) return { refused: fault }
  const parent = validId(parentSpanId, SPAN_DIGITS)
  const status = objectOf(span.status, 'status')
  const dropped =
    countField(span, 'droppedAttributesCount') +
    countField(span, 'droppedEventsCount') +
    countField(span, 'droppedLinksCount')
  return {
    traceId: traceId.toLowerCase(),
    spanId: spanId.toLowerCase(),
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: textField(span, 'name'),
    kind: kindOf(span.kind ?? 0),
    startNanos: nanosField(span, 'startTimeUnixNano'),
    endNanos: nanosField(span, 'endTimeUnixNano'),
    status: statusOf(status.code ?? 0, textField(status, 'message')),
    attributes: attributesField(span, 1),
    events: listField(span, 'events').map((element) => {
      const event = objectOf(element, 'events')
      return {
        name: textField(event, 'name'),
        timeNanos: nanosField(event, 'timeUnixNano'),
        attributes: attributesField(event, 2),
      }
    }),
    links: listField(span, 'links').map((element) => {
      const link = objectOf(element, 'links')
      return {
        traceId: validId(textField(link, 'traceId'), TRACE_DIGITS) ?? '',
        spanId: validId(textField(link, 'spanId'), SPAN_DIGITS) ?? '',
        attributes: attributesField(link, 2),
      }
    }),
    ...origin,
    ...(dropped === 0 ? {} : { dropped }),
  }
}

function logRecordOf(record: Fields, origin: Origin): LogRecord {
  const time = nanosField(record, 'timeUnixNano')
  const eventName = textField(record, 'eventName')
  const traceId = validId(textField(record, 'traceId'), TRACE_DIGITS)
  const spanId = validId(textField(record, 'spanId'), SPAN_DIGITS)
  const hasBody = record.body !== undefined && record.body !== null
  return {
    timeNanos: time === '0' ? nanosField(record, 'observedTimeUnixNano') : time,
    ...(eventName === '' ? {} : { eventName }),
    ...(hasBody ? { body: valueOfJson(record.body, 1) } : {}),
    attributes: attributesField(record, 1),
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
    ...origin,
  }
}
