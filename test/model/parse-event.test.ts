import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEvent, parseEventLine } from '../../model/parse-event.ts'
import { eventSchemas } from '../../model/run-log.ts'

const ok = { run: 'r', kind: 'message' }

function parsed(value: unknown) {
  const read = parseEvent(value)
  if (read.event === undefined) throw new Error(read.reason)
  return read.event
}

describe('a line that is no event', () => {
  it.each([
    ['{"run": "r"', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['NaN', 'not valid JSON'],
    ['[]', 'not an object'],
    ['null', 'not an object'],
    ['"text"', 'not an object'],
    ['{"kind": "message"}', 'field "run" is missing'],
    ['{"run": "", "kind": "message"}', 'field "run" is not a non-empty string'],
    ['{"run": 5, "kind": "message"}', 'field "run" is not a non-empty string'],
    ['{"run": null, "kind": "message"}', 'field "run" is not a non-empty string'],
    ['{"run": "r"}', 'field "kind" is missing'],
    ['{"run": "r", "kind": ["message"]}', 'field "kind" is not a non-empty string'],
  ])('%s: %s', (line, reason) => {
    expect(parseEventLine(line).reason).toContain(reason)
    expect(parseEventLine(line).event).toBeUndefined()
  })
})

describe('a field of a wrong form is named, with its path and its kind, and left out', () => {
  const handoff = { run: 'r', kind: 'handoff.sent', handoff: 'h' }
  it.each([
    [{ ...ok, seq: '1' }, ok, 'field "seq" of message: expected number, received string'],
    [{ ...ok, seq: 1.5 }, ok, 'field "seq" of message: expected int, received number'],
    [{ ...ok, seq: 1e21, agent: 'a' }, { ...ok, agent: 'a' }, 'field "seq" of message: Too big'],
    [{ ...ok, at: 1_700_000_000 }, ok, 'field "at" of message: expected string, received number'],
    [{ ...ok, trace: 'abc' }, ok, 'field "trace" of message: expected object, received string'],
    [
      { ...ok, trace: { id: [7], span: 's' } },
      { ...ok, trace: { span: 's' } },
      'field "trace.id" of message: ',
    ],
    [{ run: 'r', kind: 'run.start', principal: 5 }, { run: 'r', kind: 'run.start' }, 'string or object'],
    [
      { run: 'r', kind: 'run.start', principal: { id: true, kind: 'human' } },
      { run: 'r', kind: 'run.start', principal: { kind: 'human' } },
      'field "principal.id" of run.start: expected string',
    ],
    [
      { run: 'r', kind: 'run.start', agents: [{ tools: [] }], labels: 'x' },
      { run: 'r', kind: 'run.start', labels: 'x' },
      'field "agents.0.name" of run.start is missing',
    ],
    [
      { ...handoff, items_before: 'x', to: 'b' },
      { ...handoff, to: 'b' },
      'field "items_before" of handoff.sent: ',
    ],
    [
      { ...handoff, record: { task: 't', open_operations: { key: 'k' } } },
      { ...handoff, record: { task: 't' } },
      'field "record.open_operations" of handoff.sent: expected array',
    ],
    [
      { ...handoff, permissions: { deny: 'all', allow: ['x'] } },
      { ...handoff, permissions: { allow: ['x'] } },
      'field "permissions.deny" of handoff.sent: expected array',
    ],
    // Of a list in part, nobody knows what the whole would have said.
    [
      { ...handoff, permissions: { deny: ['x', {}], allow: ['x'] } },
      { ...handoff, permissions: { allow: ['x'] } },
      'field "permissions.deny.1" of handoff.sent: expected string',
    ],
    [{ run: 'r', kind: 'my.own', seq: 'x' }, { run: 'r', kind: 'my.own' }, 'field "seq" of my.own: '],
  ])('%j', (event, rest, reason) => {
    const before = structuredClone(event)
    expect(parsed(event)).toEqual({ ...rest, not_read: [expect.stringContaining(reason)] })
    expect(event).toEqual(before)
  })

  it('with five of them named, and the others counted, in a time that grows with their number', () => {
    const agents = Array.from({ length: 20_000 }, (_, index) => ({ name: `a${index}`, permissions: 'all' }))
    const event = parsed({ run: 'r', kind: 'run.start', agents })
    expect(event.agents).toEqual(agents.map(({ name }) => ({ name })))
    expect(event.not_read).toHaveLength(6)
    expect(event.not_read!.at(-1)).toBe('19995 more fields have not the form that they should')
  })
})

describe('a number where a text is expected', () => {
  it('is read as its digits: an id is a text, whatever it is made of', () => {
    const event = {
      ...{ run: 'r', kind: 'handoff.sent', handoff: 12, from: 1, reason: 0.5, trace: { id: 7 } },
      permissions: { allow: ['x', 5] },
    }
    expect(parsed(event)).toEqual({
      ...{ run: 'r', kind: 'handoff.sent', handoff: '12', from: '1', reason: '0.5', trace: { id: '7' } },
      permissions: { allow: ['x', '5'] },
    })
  })
})

describe('an event without what its kind is known by is none', () => {
  it.each([
    [
      { ...ok, v: 2 },
      'field "v" of message is not 1: a newer version of the format, read it with a newer handspan',
    ],
    [{ run: 'r', kind: 'operation' }, 'field "op" of operation is missing'],
    [{ run: 'r', kind: 'operation', op: null }, 'field "op" of operation is missing'],
    [{ run: 'r', kind: 'operation', op: {} }, 'field "op" of operation is missing'],
    [{ run: 'r', kind: 'truth', op: 'o' }, 'field "state" of truth is missing'],
    [
      { run: 'r', kind: 'handoff.sent', handoff: null, record: 5 },
      'field "handoff" of handoff.sent is missing',
    ],
  ])('%j', (event, reason) => {
    expect(parseEvent(event)).toEqual({ reason })
  })
})

describe('what is kept', () => {
  it.each(['2030-05-06T08:00:00Z', 'PT5M', 30])('a due time in each of its forms: %s', (ack_due) => {
    const event = { run: 'r', kind: 'handoff.sent', handoff: 'h1', ack_due, record: { ack_due } }
    expect(parseEvent(event)).toEqual({ event, asWritten: true })
  })
  it('unknown kinds, unknown fields and a member named __proto__, verbatim', () => {
    for (const line of [
      '{"run":"r","kind":"weather.changed","sky":{"is":["grey"]},"__proto__":{"polluted":true}}',
      '{"run":"r","kind":"operation","op":"o","state":"half-done","mood":"fine","effect":"perhaps"}',
      '{"run":"r","kind":"constructor"}',
      '{"run":"r","kind":"handoff.received","handoff":"h","record":{"open_operations":[{"key":5},7,"k"]}}',
      '{"run":"r","kind":"__proto__"}',
      '{"run":"r","kind":"handoff.sent","handoff":"h","record":{"whatever":[1]},"items_before":[1,null,"x",[]]}',
    ]) {
      expect(JSON.stringify(parseEventLine(line).event)).toBe(line)
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('data up to 1,000 levels deep; deeper data is refused before it can end the process', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const line = (levels: number) => `{"run":"r","kind":"operation","op":"o","args":${nested(levels)}}`
    expect(parseEventLine(line(1000)).event).toBeDefined()
    for (const levels of [1001, 10_000, 200_000]) {
      expect(parseEventLine(line(levels)).reason).toContain(
        'field "args" of operation is nested more than 1000 levels deep',
      )
    }
  })
})

describe('null where there is nothing to say', () => {
  it('is read as a field that is left out, at any depth that the schema knows', () => {
    const line = {
      run: 'r',
      kind: 'operation',
      op: 'op-1',
      key: null,
      trace: { id: null, span: 'a1' },
      seq: null,
    }
    expect(parseEvent(line).event).toEqual({ run: 'r', kind: 'operation', op: 'op-1', trace: { span: 'a1' } })
    expect(parseEvent({ run: 'r', kind: 'run.start', agents: [{ name: 'a', tools: null }] }).event).toEqual({
      run: 'r',
      kind: 'run.start',
      agents: [{ name: 'a' }],
    })
  })

  it('stays where null is a value', () => {
    const line = { run: 'r', kind: 'operation', op: 'op-1', args: { note: null }, result: null }
    expect(parseEvent(line).event).toBe(line)
  })
})

describe('whatever comes', () => {
  const kinds = [...Object.keys(eventSchemas), 'custom']
  const fields = [
    'op',
    'handoff',
    'items',
    'items_before',
    'record',
    'principal',
    'agents',
    'seq',
    'permissions',
    'trace',
  ]
  const event = fc
    .tuple(fc.constantFrom(...kinds), fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()))
    .map(([kind, rest]) => ({ run: 'r', kind, ...rest }))

  it('nothing throws: there is an event, or a reason that is a sentence', () => {
    fc.assert(
      fc.property(fc.oneof({ arbitrary: event, weight: 8 }, fc.jsonValue(), fc.anything()), (value) => {
        const before = structuredClone(value)
        const parsed = parseEvent(value)
        expect(value).toEqual(before)
        if (parsed.event === undefined) expect(parsed.reason.length).toBeGreaterThan(10)
        else {
          expect(isDeepStrictEqual(parsed.event, value)).toBe(parsed.asWritten)
          // What was read is read again as it is.
          expect(parseEvent(parsed.event)).toEqual({ event: parsed.event, asWritten: true })
        }
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        const parsed = parseEventLine(line)
        expect((parsed.event === undefined) !== (parsed.reason === undefined)).toBe(true)
      }),
    )
  })
})
