import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventId, eventLogRecord, isEventRecord, lineOfRecord } from '../../model/event-log-record.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { nanosOf } from '../../model/nanos.ts'
import type { RunEvent } from '../../model/run-log.ts'

const event: RunEvent & JsonObject = {
  v: 1,
  run: 'r-1',
  seq: 7,
  at: '2031-03-04T09:00:00.000000007Z',
  writer: 'w',
  kind: 'handoff.sent',
  handoff: 'h1',
  agent: 'orders',
  trace: { id: '4BF92F3577B34DA6A3CE929D0E0E4736', span: '00f067aa0ba902b7' },
  record: { open_operations: ['o7:2'] },
}
const line = JSON.stringify(event)

/** What a decoder makes of the record, for the fields that matter here: attributes as an object, values as JSON. */
function decoded(record: JsonObject) {
  const attributes = record.attributes as { key: string; value: { stringValue: string } }[]
  return {
    eventName: record.eventName as string,
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue]),
    ) as JsonObject,
    body: (record.body as { stringValue: string }).stringValue as Json,
  }
}

describe('an event as a log record', () => {
  it('has name, id, time, trace and what one filters by, and the line as its body', () => {
    const id = eventId(line, event, '')
    expect(eventLogRecord(line, event, id)).toEqual({
      timeUnixNano: `${BigInt(Date.parse('2031-03-04T09:00:00Z')) * 1_000_000n + 7n}`,
      severityNumber: 9,
      eventName: 'handspan.handoff.sent',
      body: { stringValue: line },
      attributes: [
        { key: 'log.record.uid', value: { stringValue: id } },
        { key: 'handspan.run.id', value: { stringValue: 'r-1' } },
        { key: 'handspan.handoff.id', value: { stringValue: 'h1' } },
        { key: 'gen_ai.agent.name', value: { stringValue: 'orders' } },
      ],
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
    })
  })

  it('comes back byte for byte, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const written = JSON.stringify({ ...fields, run: 'r', kind: 'note', seq: 1 })
        const record = decoded(eventLogRecord(written, JSON.parse(written), 'id'))
        expect(isEventRecord(record)).toBe(true)
        expect(lineOfRecord(record)).toBe(written)
      }),
    )
    // Number forms and white space that JavaScript would write otherwise.
    const foreign =
      '{"run": "r", "kind": "note", "seq": 1, "n": 1.0, "big": 123456789012345678901, "e": 1E2 }'
    expect(lineOfRecord(decoded(eventLogRecord(foreign, JSON.parse(foreign), 'id')))).toBe(foreign)
  })

  it('without seq keeps the id under which it was sent', () => {
    const record = (text: string) => decoded(eventLogRecord(text, JSON.parse(text), 'a"1'))
    expect(lineOfRecord(record('{"run": "r", "kind": "note" }'))).toBe(
      '{"run": "r", "kind": "note","event_id":"a\\"1"}',
    )
    const named = '{"run":"r","kind":"note","event_id":"mine"}'
    expect(lineOfRecord(record(named))).toBe(named)
  })

  it('may be a map, or have its name where older senders have it, or be no event at all', () => {
    const attributes = { 'event.name': 'handspan.note', 'log.record.uid': 'u' }
    expect(isEventRecord({ attributes })).toBe(true)
    expect(isEventRecord({ eventName: 'exception', attributes: {} })).toBe(false)
    expect(isEventRecord({ attributes: { 'event.name': 7 } })).toBe(false)
    const body = { run: 'r', kind: 'note', n: [1.5, null] }
    expect(JSON.parse(lineOfRecord({ attributes, body }))).toEqual({ ...body, event_id: 'u' })
    expect(lineOfRecord({ attributes, body: 'no\nJSON' })).toBe('no JSON')
    expect(lineOfRecord({ attributes })).toBe('null')
  })
})

describe('ids', () => {
  it('are those of the line; of its place as well where only that tells equals apart', () => {
    expect(eventId(line, event, 'a:0')).toBe(eventId(line, event, 'b:9'))
    const { seq: _, ...loose } = event
    expect(eventId(line, loose as RunEvent, 'a:0')).not.toBe(eventId(line, loose as RunEvent, 'a:9'))
    // printf '%s' '{"run":"r","seq":1,"kind":"note"}' | sha256sum | cut -c1-16
    const known = '{"run":"r","seq":1,"kind":"note"}'
    expect(eventId(known, JSON.parse(known), '')).toBe('13de0fc1810d0f21')
  })
})

describe('nanoseconds', () => {
  it.each([
    ['1970-01-01T00:00:00Z', '0'],
    ['1970-01-01T00:00:01.5+00:00', '1500000000'],
    ['1970-01-01T01:00:00.123456789123+01:00', '123456789'],
    ['2031-03-04', undefined],
    ['1969-12-31T23:59:59Z', undefined],
    ['2031-02-31T25:00:00Z', undefined],
    [12, undefined],
  ])('%s: %s', (at, nanos) => {
    expect(nanosOf(at)).toBe(nanos)
  })
})
