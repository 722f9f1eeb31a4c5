import { JsonLogsSerializer, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventLogRecord, lineOfRecord } from '../../model/event-log-record.ts'
import type { Json } from '../../model/json.ts'
import { decodeLogRecords } from '../../otlp/decode.ts'

const context = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceFlags: 1 }

function readable(body: unknown): ReadableLogRecord {
  return {
    hrTime: [1_900_000_000, 5],
    hrTimeObserved: [1_900_000_001, 0],
    spanContext: context,
    eventName: 'handspan.note',
    body: body as never,
    resource: resourceFromAttributes({ 'service.name': 'orders' }),
    instrumentationScope: { name: 'handspan', version: '1' },
    attributes: { 'log.record.uid': 'u-1' },
    droppedAttributesCount: 0,
  }
}

/** JSON that both encodings hold: no integer beyond 2^53, no minus zero. */
const body = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => !/-0[,\]}]|-0$|e\+|\d{16}/.test(JSON.stringify(value)))
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)

describe('log records', () => {
  it("are read from either encoding as what OpenTelemetry's own serializers wrote", () => {
    fc.assert(
      fc.property(body, (value) => {
        const expected = {
          timeNanos: '1900000000000000005',
          eventName: 'handspan.note',
          ...(value === null ? {} : { body: value }),
          attributes: { 'log.record.uid': 'u-1' },
          traceId: context.traceId,
          spanId: context.spanId,
          resource: { 'service.name': 'orders' },
          scope: { name: 'handspan', version: '1' },
        }
        const records = [readable(value)]
        for (const decoded of [
          [...decodeLogRecords(JsonLogsSerializer.serializeRequest(records)!, 'json')],
          [...decodeLogRecords(ProtobufLogsSerializer.serializeRequest(records)!, 'protobuf')],
        ]) {
          // Serializers differ in whether a body of null is one.
          expect(
            decoded.map(({ body: read, ...rest }) => (read == null ? rest : { ...rest, body: read })),
          ).toEqual([expected])
        }
      }),
      { numRuns: 100 },
    )
  })

  it('carry the line of a run log through the JSON encoding byte for byte', () => {
    const line = '{"run": "r", "kind": "note", "seq": 1, "n": 1.0, "text": "\\u0041 \\ud83d\\ude00 \u2028"}'
    const record = eventLogRecord(line, JSON.parse(line), 'u-1')
    const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }
    const [decoded] = [...decodeLogRecords(Buffer.from(JSON.stringify(request)), 'json')]
    expect(lineOfRecord(decoded!)).toBe(line)
  })
})
