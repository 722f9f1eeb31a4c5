import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/json.ts'
import { decodeLogRecords, decodeSpans } from '../../otlp/decode.ts'
import { DecodeError } from '../../otlp/decode-error.ts'
import type { Span } from '../../otlp/span.ts'

const IDS = { traceId: '5B8EFFF798038103D269B633813FC60C', spanId: 'EEE19B7EC3C1B174' }

function inJson(span: object): Buffer {
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))
}

function spanOf(span: object): Span {
  return [...decodeSpans(inJson({ ...IDS, ...span }), 'json')][0] as Span
}

function attribute(value: unknown): Json | undefined {
  return spanOf({ attributes: [{ key: 'a', value }] }).attributes.a
}

function message(...fields: [number: number, content: Uint8Array | string][]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, content] of fields) {
    writer.tag(number, WireType.LengthDelimited)
    if (typeof content === 'string') writer.string(content)
    else writer.bytes(content)
  }
  return writer.finish()
}

/** A request in protobuf with one span of these fields behind its ids. */
function inProto(...fields: [number: number, content: Uint8Array | string][]): Uint8Array {
  const ids: [number, Uint8Array][] = [
    [1, Buffer.from(IDS.traceId, 'hex')],
    [2, Buffer.from(IDS.spanId, 'hex')],
  ]
  return message([1, message([2, message([2, message(...ids, ...fields)])])])
}

describe('values in JSON', () => {
  it.each([
    [{ stringValue: '' }, ''],
    [{ stringValue: 'a\ud800b' }, 'a\ufffdb'],
    [{ intValue: '12' }, 12],
    [{ intValue: 12 }, 12],
    [{ intValue: '-9223372036854775808' }, '-9223372036854775808'],
    [{ intValue: 1e300 }, 1e300],
    [{ doubleValue: 0.5 }, 0.5],
    [{ doubleValue: '-1.5e3' }, -1500],
    [{ doubleValue: 'NaN' }, 'NaN'],
    [{ doubleValue: '-Infinity' }, '-Infinity'],
    [{ boolValue: false }, false],
    [{ bytesValue: 'AP8=' }, 'AP8='],
    [{ bytesValue: '_-8' }, '/+8='],
    [{ arrayValue: {} }, []],
    [{ arrayValue: { values: [{ intValue: 1 }, {}, { stringValue: 'x' }] } }, [1, null, 'x']],
    [
      { kvlistValue: { values: [{ key: '__proto__', value: { boolValue: true } }] } },
      JSON.parse('{"__proto__":true}'),
    ],
    [{}, null],
    [null, null],
    [undefined, null],
    [{ stringValueStrindex: 3 }, null],
    [{ stringValue: null, intValue: '7', later: {} }, 7],
  ])('%j is %j', (value, expected) => {
    expect(attribute(value)).toStrictEqual(expected)
  })

  it.each([
    { stringValue: 5 },
    { intValue: 1.5 },
    { intValue: '1e3' },
    { intValue: '9223372036854775808' },
    { boolValue: 'true' },
    { doubleValue: 'much' },
    { arrayValue: [] },
    { kvlistValue: { values: [7] } },
    'text',
  ])('%j is refused', (value) => {
    expect(() => attribute(value)).toThrow(DecodeError)
  })
})

describe('fields in JSON', () => {
  it('may be missing, null, unknown, or of a later version', () => {
    expect(spanOf({ name: null, kind: 17, status: { code: 9 }, events: null, later: [{}] })).toEqual({
      traceId: IDS.traceId.toLowerCase(),
      spanId: IDS.spanId.toLowerCase(),
      name: '',
      kind: 'unspecified',
      startNanos: '0',
      endNanos: '0',
      status: { code: 'unset' },
      attributes: {},
      events: [],
      links: [],
      resource: {},
      scope: { name: '' },
    })
    expect(spanOf({ startTimeUnixNano: '18446744073709551615' }).startNanos).toBe('18446744073709551615')
  })

  it.each([
    ['{"resourceSpans": {}}', '"resourceSpans" is not a list'],
    ['{"resourceSpans": [7]}', '"resourceSpans" is not an object'],
    [inJson({ ...IDS, name: 7 }), '"name" is not a text'],
    [inJson({ ...IDS, startTimeUnixNano: '-1' }), '"startTimeUnixNano" is not a number of nanoseconds'],
    [inJson({ ...IDS, startTimeUnixNano: '18446744073709551616' }), 'nanoseconds'],
    [inJson({ ...IDS, droppedLinksCount: -1 }), '"droppedLinksCount" is not a count'],
    ['{"resourceSpans": [', 'not valid JSON'],
    ['[]', 'not a JSON object'],
    [Buffer.from([0x22, 0xff, 0x22]), 'not valid JSON'],
  ])('%s: %s', (request, reason) => {
    expect(() => [...decodeSpans(Buffer.from(request as string), 'json')]).toThrow(reason)
  })
})

describe('ids', () => {
  it.each([
    [{ traceId: '' }, 'the trace id'],
    [{ traceId: '0'.repeat(32) }, 'the trace id'],
    [{ traceId: 'W47/95gDgQPSabYzgT/GDA==' }, 'the trace id'],
    [{ spanId: '00' }, 'the span id'],
    [{ parentSpanId: 'abc' }, 'the parent span id'],
  ])('that are none cost one span, not the request: %j', (wrong, reason) => {
    const request = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...IDS, ...wrong }, IDS] }] }] }
    const [first, second] = [...decodeSpans(Buffer.from(JSON.stringify(request)), 'json')]
    expect(first).toEqual({ refused: expect.stringContaining(reason) })
    expect(second).toHaveProperty('spanId')
  })

  it('of the parent may be empty or zero, in either encoding', () => {
    expect(spanOf({ parentSpanId: '' })).not.toHaveProperty('parentSpanId')
    expect(spanOf({ parentSpanId: '0'.repeat(16) })).not.toHaveProperty('parentSpanId')
    expect([...decodeSpans(inProto([4, new Uint8Array(8)]), 'protobuf')][0]).not.toHaveProperty(
      'parentSpanId',
    )
    expect([...decodeSpans(inProto([4, new Uint8Array(3).fill(1)]), 'protobuf')][0]).toEqual({
      refused: expect.any(String),
    })
  })
})

describe('protobuf', () => {
  it('skips fields it does not know, and of a key that stands twice keeps the later value', () => {
    const pair = (text: string) => message([1, 'a'], [2, message([1, text])])
    const request = inProto([9, pair('first')], [3, 'congo=1'], [99, 'later'], [9, pair('second')])
    expect([...decodeSpans(request, 'protobuf')]).toEqual([
      spanOf({ attributes: [{ key: 'a', value: { stringValue: 'second' } }] }),
    ])
  })

  it.each([
    ['bad UTF-8', inProto([5, new Uint8Array([0xc3, 0x28])])],
    ['a length beyond the end', inProto().slice(0, -4)],
    ['an end group without a start', new Uint8Array([0x0c])],
    ['groups in groups', new Uint8Array(100_000).fill(0x0b)],
    ['wire type 7', new Uint8Array([0x0f, 0x00])],
    ['field 0', new Uint8Array([0x02, 0x00])],
  ])('refuses %s', (_, request) => {
    expect(() => [...decodeSpans(request, 'protobuf')]).toThrow(DecodeError)
  })
})

describe('both encodings', () => {
  it('draw the line at the same depth', () => {
    const verdicts = (levels: number) => {
      let json: object = { stringValue: 'x' }
      let proto = message([1, 'x'])
      for (let level = 0; level < levels; level++) {
        json = { arrayValue: { values: [json] } }
        proto = message([5, message([1, proto])])
      }
      const requests = [
        () => [...decodeSpans(inJson({ ...IDS, attributes: [{ key: 'a', value: json }] }), 'json')],
        () => [...decodeSpans(inProto([9, message([1, 'a'], [2, proto])]), 'protobuf')],
      ]
      return requests.map((decode) => {
        try {
          return JSON.stringify(decode())
        } catch (error) {
          return (error as Error).name
        }
      })
    }
    const seen = Array.from({ length: 140 }, (_, levels) => verdicts(levels))
    expect(seen.filter(([json, proto]) => json !== proto)).toEqual([])
    // OpenTelemetry's own limit is 64 lists.
    expect(seen.findIndex(([json]) => json === 'DecodeError')).toBeGreaterThan(64)
  })

  it('refuse what is small on the wire and large in memory', () => {
    const many = 250_000
    const spans = message([1, message([2, concat(Array(many).fill(message([2, ''])))])])
    expect(() => [...decodeSpans(spans, 'protobuf')]).toThrow('more than 200000 records')
    const empty = concat(Array(600_000).fill(message([9, ''])))
    const attributes = message([1, message([2, message([2, empty])])])
    expect(() => [...decodeSpans(attributes, 'protobuf')]).toThrow('more than 500000 values')
    const json = Buffer.from(`{"resourceSpans":[${'{},'.repeat(4_500_000)}{}]}`)
    expect(() => [...decodeSpans(json, 'json')]).toThrow('more than 4000000 objects')
  })

  it('take the time of observation where a record has no time of its own', () => {
    const record = { observedTimeUnixNano: '7', body: {}, eventName: 'a.b' }
    const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }
    const fixed = new BinaryWriter().tag(11, WireType.Bit64).fixed64(7n).finish()
    const proto = concat([message([5, ''], [12, 'a.b']), fixed])
    const expected = [
      { timeNanos: '7', eventName: 'a.b', body: null, attributes: {}, resource: {}, scope: { name: '' } },
    ]
    expect([...decodeLogRecords(Buffer.from(JSON.stringify(request)), 'json')]).toEqual(expected)
    expect([...decodeLogRecords(message([1, message([2, message([2, proto])])]), 'protobuf')]).toEqual(
      expected,
    )
  })

  it('take an empty request for one without records', () => {
    expect([...decodeSpans(new Uint8Array(), 'protobuf')]).toEqual([])
    expect([...decodeLogRecords(Buffer.from('{}'), 'json')]).toEqual([])
  })

  it('give values or a DecodeError, whatever the bytes are', () => {
    const json = inJson({
      ...IDS,
      attributes: [{ key: 'a', value: { intValue: '1' } }],
      events: [{ name: 'e' }],
    })
    const proto = inProto([9, message([1, 'a'], [2, message([1, 'x'])])], [11, message([2, 'e'])])
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 }),
        fc.nat(400),
        (isJson, changes, cut) => {
          const bytes = Uint8Array.from(isJson ? json : proto)
          for (const [at, value] of changes) bytes[at % bytes.length] = value
          const request = bytes.subarray(0, Math.max(1, bytes.length - (cut % 3 === 0 ? cut : 0)))
          for (const decode of [decodeSpans, decodeLogRecords]) {
            try {
              for (const record of decode(request, isJson ? 'json' : 'protobuf')) JSON.stringify(record)
            } catch (error) {
              expect(error).toBeInstanceOf(DecodeError)
            }
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

function concat(parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}
