import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { TRACES } from '../importers/traces.ts'
import { rawRequest } from './raw-http.ts'
import { logsOf, tracesOf } from './serving.ts'

/*
 * Requests as no sender should make them. Each says which statuses are right for the first answer. An empty list:
 * the server closes the connection without a word, or after some 4xx.
 */
export type Malformed = {
  what: string
  pieces: readonly Buffer[]
  right: readonly number[]
  halfClose?: boolean
  /** The content type that the answer must have. */
  type?: string
}

/** The server under test takes requests up to this. */
export const REQUEST_BYTES = 100_000

const JSON_TYPE = 'application/json'
const PROTO_TYPE = 'application/x-protobuf'

const fixture = (name: string) => readFileSync(join(TRACES, name))
const VALID: { path: string; type: string; body: Buffer }[] = [
  { path: '/v1/traces', type: JSON_TYPE, body: fixture('triage.openllmetry.otlp.json') },
  { path: '/v1/traces', type: PROTO_TYPE, body: fixture('triage.openllmetry.otlp.pb') },
  {
    path: '/v1/logs',
    type: JSON_TYPE,
    body: Buffer.from(logsOf([{ run: 'malformed', seq: 1, kind: 'note' }])),
  },
]

const valid = fc.constantFrom(...VALID)
const post = (path: string, headers: Record<string, string>, body: Buffer | string = '') =>
  rawRequest(`POST ${path}`, headers, body)

function one(what: string, arbitrary: fc.Arbitrary<Omit<Malformed, 'what'>>): fc.Arbitrary<Malformed> {
  return arbitrary.map((malformed) => ({ what, ...malformed }))
}

const changed = fc
  .tuple(valid, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }))
  .map(([{ path, type, body }, changes]) => {
    const bytes = Buffer.from(body)
    for (const [at, value] of changes) bytes[at % bytes.length] = value
    return { pieces: [post(path, { 'content-type': type }, bytes)], right: [200, 400], type }
  })

const truncated = fc.tuple(valid, fc.nat()).map(([{ path, type, body }, at]) => ({
  pieces: [post(path, { 'content-type': type }, body.subarray(0, at % body.length))],
  right: [200, 400],
  type,
}))

const shortOfItsLength = fc
  .tuple(valid, fc.integer({ min: 1, max: 1000 }))
  .map(([{ path, type, body }, more]) => ({
    pieces: [post(path, { 'content-type': type, 'content-length': String(body.length + more) }, body)],
    right: [],
    halfClose: true,
  }))

const longerThanItsLength = fc
  .tuple(valid, fc.integer({ min: 1, max: 500 }))
  .map(([{ path, type, body }, less]) => ({
    pieces: [
      post(path, { 'content-type': type, 'content-length': String(Math.max(0, body.length - less)) }, body),
    ],
    right: [200, 400],
  }))

const wildBytes = fc
  .tuple(
    fc.uint8Array({ minLength: 1, maxLength: 400 }),
    fc.constantFrom(JSON_TYPE, PROTO_TYPE),
    fc.boolean(),
  )
  .map(([bytes, type, logs]) => ({
    pieces: [post(logs ? '/v1/logs' : '/v1/traces', { 'content-type': type }, Buffer.from(bytes))],
    right: [200, 400],
    type,
  }))

const wildJson = fc
  .tuple(fc.jsonValue(), fc.constantFrom('resourceSpans', 'resourceLogs', 'scopeSpans', ''), fc.boolean())
  .map(([value, name, logs]) => ({
    pieces: [
      post(
        logs ? '/v1/logs' : '/v1/traces',
        { 'content-type': JSON_TYPE },
        JSON.stringify(
          name === '' ? value : { [name]: value, resourceSpans: [{ scopeSpans: [{ spans: value }] }] },
        ),
      ),
    ],
    right: [200, 400],
    type: JSON_TYPE,
  }))

const deep = fc.tuple(fc.integer({ min: 1000, max: 40_000 }), fc.boolean()).map(([levels, proto]) => {
  if (!proto) {
    const body = `{"resourceSpans":${'['.repeat(levels)}${']'.repeat(levels)}}`
    return {
      pieces: [post('/v1/traces', { 'content-type': JSON_TYPE }, body)],
      right: [400],
      type: JSON_TYPE,
    }
  }
  // Groups in groups, which a reader must skip.
  const body = Buffer.alloc(levels, 0x0b)
  return {
    pieces: [post('/v1/traces', { 'content-type': PROTO_TYPE }, body)],
    right: [400],
    type: PROTO_TYPE,
  }
})

const badUtf8 = fc.constantFrom(...VALID).map(({ path, type }) => ({
  pieces: [
    post(
      path,
      { 'content-type': type },
      type === JSON_TYPE
        ? Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])
        : Buffer.from([0x0a, 0x40, 0xc3, 0x28]),
    ),
  ],
  right: [400],
  type,
}))

const gzip = { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }
const zipped = gzipSync(tracesOf('00f067aa0ba902b7'))
const bomb = gzipSync(Buffer.alloc(30 * REQUEST_BYTES, 0x20))
const gzipped = fc
  .oneof(
    fc.nat(zipped.length - 1).map((at) => ({ body: zipped.subarray(0, at), right: [400] })),
    fc.tuple(fc.nat(zipped.length - 1), fc.nat(255)).map(([at, value]) => {
      const body = Buffer.from(zipped)
      body[at] = value
      return { body, right: [200, 400] }
    }),
    fc.constant({ body: bomb, right: [413] }),
    fc.constant({ body: gzipSync(zipped), right: [400] }),
  )
  .map(({ body, right }) => ({ pieces: [post('/v1/traces', gzip, body)], right, type: JSON_TYPE }))

const token = fc.string({ unit: fc.constantFrom(...'abcxyz-/+.19'), minLength: 1, maxLength: 20 })
const wrongType = fc
  .tuple(token, fc.constantFrom('text/', 'application/', '', 'application/json', 'application/x-protobuf'))
  .map(([rest, start]) => ({
    pieces: [post('/v1/traces', { 'content-type': `${start}${rest}` }, '{}')],
    right: [415],
    type: JSON_TYPE,
  }))

const wrongCoding = token.map((coding) => ({
  pieces: [post('/v1/traces', { 'content-type': JSON_TYPE, 'content-encoding': `x${coding}` }, '{}')],
  right: [415],
  type: JSON_TYPE,
}))

const wrongMethod = fc
  .tuple(
    fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'),
    fc.constantFrom('/v1/traces', '/v1/logs'),
  )
  .map(([method, path]) => ({ pieces: [rawRequest(`${method} ${path}`, {})], right: [405], type: JSON_TYPE }))

const wrongPath = token.map((path) => ({
  pieces: [post(`/v1/x${path}`, { 'content-type': JSON_TYPE }, '{}')],
  right: [404],
  type: JSON_TYPE,
}))

const wrongLength = fc
  .constantFrom('-1', '1e3', 'x', '0x10', '99999999999999999999', '5, 6', '+5')
  .map((length) => ({
    pieces: [post('/v1/traces', { 'content-type': JSON_TYPE, 'content-length': length }, '{}')],
    right: [400],
  }))

const announcedTooLarge = fc.integer({ min: REQUEST_BYTES + 1, max: 2 ** 50 }).map((length) => ({
  pieces: [post('/v1/traces', { 'content-type': JSON_TYPE, 'content-length': String(length) }, '{}')],
  right: [413],
  halfClose: true,
  type: JSON_TYPE,
}))

const chunk = (body: string | Buffer) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`
const chunked = { 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' }
const inChunks = fc
  .constantFrom<[string, number[]]>(
    [`${chunk('{"a":')}${chunk('1}')}0\r\n\r\n`, [200]],
    [`${chunk('{"a":')}0\r\n\r\n`, [400]],
    ['zz\r\n{}\r\n0\r\n\r\n', [400]],
    ['-1\r\n{}\r\n0\r\n\r\n', [400]],
    ['fffffffffffffffff\r\n{}', [400]],
    ['2\r\n{}xx0\r\n\r\n', [400]],
    [`${chunk('x'.repeat(60_000))}${chunk('y'.repeat(60_000))}0\r\n\r\n`, [413]],
  )
  .map(([body, right]) => ({ pieces: [post('/v1/traces', chunked, body)], right }))

const bothLengths = fc.constant({
  pieces: [post('/v1/traces', { ...chunked, 'content-length': '2' }, '{}')],
  right: [400],
})

const headerFlood = fc
  .tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 40_000 }))
  .map(([count, size]) => {
    const headers: Record<string, string> = { 'content-type': JSON_TYPE }
    for (let number = 0; number < count && number * 10 < 40_000; number++) headers[`x-${number}`] = ''
    headers['x-long'] = 'x'.repeat(size)
    return { pieces: [post('/v1/traces', headers, '{}')], right: [200, 431, 415] }
  })

const strangers = fc
  .constantFrom<[Record<string, string>, number]>(
    [{ host: 'evil.example' }, 403],
    [{ host: '' }, 403],
    [{ origin: 'http://localhost' }, 403],
    [{ origin: 'null' }, 403],
  )
  .map(([headers, status]) => ({
    pieces: [post('/v1/traces', { 'content-type': PROTO_TYPE, ...headers })],
    right: [status],
    type: PROTO_TYPE,
  }))

const noHttp = fc
  .constantFrom(
    'GET / HTTP/1.1\r\n\r\n',
    'POST /v1/traces\r\n\r\n',
    'POST /v1/traces HTTP/9.9\r\nhost: localhost\r\n\r\n',
    'POST /v1/traces HTTP/1.1\r\nhost: localhost\r\nbroken\r\n\r\n',
    'POST /v1/traces HTTP/1.1\r\nhost: localhost\r\n x: folded\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '\0\0\0\0',
  )
  .map((text) => ({ pieces: [Buffer.from(text, 'latin1')], right: [], halfClose: true }))

const randomBytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => ({
  pieces: [Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')])],
  right: [],
  halfClose: true,
}))

const asksFirst = fc
  .tuple(fc.constantFrom('100-continue', '200-ok'), fc.boolean())
  .map(([expectation, known]) => ({
    pieces: [
      post('/v1/traces', { 'content-type': known ? JSON_TYPE : 'text/plain', expect: expectation }, '{}'),
    ],
    right: expectation === '100-continue' ? [known ? 200 : 415] : [417],
  }))

const absolute = token.map((name) => ({
  pieces: [post(`http://${name}/v1/traces`, { 'content-type': JSON_TYPE }, '{}')],
  right: [404],
}))

const inPieces = fc.tuple(valid, fc.integer({ min: 2, max: 20 })).map(([{ path, type, body }, count]) => {
  const whole = post(path, { 'content-type': type }, body)
  const size = Math.ceil(whole.length / count)
  return {
    pieces: Array.from({ length: count }, (_, index) => whole.subarray(index * size, (index + 1) * size)),
    right: [200],
    type,
  }
})

/** Several requests at once on one connection, the answers of which come in their order. */
export const pipelined: fc.Arbitrary<{ pieces: Buffer[]; rights: number[] }> = fc
  .array(fc.constantFrom<[string, number]>(['{}', 200], ['{', 400]), { minLength: 2, maxLength: 12 })
  .map((requests) => ({
    pieces: [
      Buffer.concat(
        requests.map(([body], index) =>
          post(
            '/v1/traces',
            { 'content-type': JSON_TYPE, connection: index === requests.length - 1 ? 'close' : 'keep-alive' },
            body,
          ),
        ),
      ),
    ],
    rights: requests.map(([, status]) => status),
  }))

export const malformed: fc.Arbitrary<Malformed> = fc.oneof(
  one('changed bytes', changed),
  one('a truncated body', truncated),
  one('a body short of its length', shortOfItsLength),
  one('a body longer than its length', longerThanItsLength),
  one('wild bytes', wildBytes),
  one('wild JSON', wildJson),
  one('deep nesting', deep),
  one('bad UTF-8', badUtf8),
  one('wrong gzip', gzipped),
  one('a wrong content type', wrongType),
  one('a wrong content encoding', wrongCoding),
  one('a wrong method', wrongMethod),
  one('a wrong path', wrongPath),
  one('a wrong length', wrongLength),
  one('a length over the limit', announcedTooLarge),
  one('chunks', inChunks),
  one('a length and chunks', bothLengths),
  one('a flood of headers', headerFlood),
  one('a stranger', strangers),
  one('no HTTP', noHttp),
  one('random bytes', randomBytes),
  one('a question before the body', asksFirst),
  one('an absolute address', absolute),
  one('many pieces', inPieces),
)
