import {
  JsonLogsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { describe, expect, it } from 'vitest'
import { statusAnswer, successAnswer } from '../../otlp/answers.ts'

describe("answers, as OpenTelemetry's own clients read them", () => {
  const partial = { rejected: 3, message: 'three without ids' }

  it.each([
    ['json', JsonTraceSerializer],
    ['protobuf', ProtobufTraceSerializer],
  ] as const)('to traces in %s', (encoding, client) => {
    expect(client.deserializeResponse(successAnswer('traces', encoding)).partialSuccess).toBeUndefined()
    const { partialSuccess } = client.deserializeResponse(successAnswer('traces', encoding, partial))
    expect(Number(partialSuccess?.rejectedSpans)).toBe(3)
    expect(partialSuccess?.errorMessage).toBe('three without ids')
  })

  it.each([
    ['json', JsonLogsSerializer],
    ['protobuf', ProtobufLogsSerializer],
  ] as const)('to logs in %s', (encoding, client) => {
    expect(client.deserializeResponse(successAnswer('logs', encoding)).partialSuccess).toBeUndefined()
    const { partialSuccess } = client.deserializeResponse(successAnswer('logs', encoding, partial))
    expect(Number(partialSuccess?.rejectedLogRecords)).toBe(3)
    expect(partialSuccess?.errorMessage).toBe('three without ids')
  })

  it('that are nothing but success are the shortest there are', () => {
    expect(Buffer.from(successAnswer('traces', 'json')).toString()).toBe('{}')
    expect(successAnswer('traces', 'protobuf')).toHaveLength(0)
  })

  it('of failure are a google.rpc.Status', () => {
    expect(JSON.parse(Buffer.from(statusAnswer('json', 3, 'no')).toString())).toEqual({
      code: 3,
      message: 'no',
    })
    // Field 1 is the code as a varint, field 2 the message as text.
    expect([...statusAnswer('protobuf', 3, 'no')]).toEqual([0x08, 3, 0x12, 2, ...Buffer.from('no')])
  })
})
