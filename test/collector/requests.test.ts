import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RpcStatusSchema } from '../../otlp/gen/common_pb.ts'
import { TRACES } from '../importers/traces.ts'
import { logsOf, post, spooled, startServer, tracesOf } from './serving.ts'

const note = (seq: number) => ({ run: 'r', seq, kind: 'note', writer: 'w' })

describe('what is sent right', () => {
  it('is in the spool when it is answered, in either encoding, compressed or not', async () => {
    const { url, directory } = await startServer()
    const traces = readFileSync(join(TRACES, 'triage.openinference.otlp.pb'))
    const protobuf = { 'content-type': 'application/x-protobuf' }
    const answers = [
      await post(`${url}/v1/logs`, logsOf([note(1)])),
      await post(`${url}/v1/logs`, gzipSync(logsOf([note(2)])), { 'content-encoding': 'gzip' }),
      await post(`${url}/v1/traces`, traces, protobuf),
      await post(`${url}/v1/traces`, gzipSync(traces), { ...protobuf, 'content-encoding': 'gzip' }),
      await post(`${url}/v1/traces`, '{}', { 'content-type': 'application/json; charset=UTF-8' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/json',
      'application/json',
      'application/x-protobuf',
      'application/x-protobuf',
      'application/json',
    ])
    expect(await answers[0]!.text()).toBe('{}')
    expect(await answers[2]!.text()).toBe('')
    expect(spooled(directory, 'events')).toEqual([note(1), note(2)])
    const spans = spooled(directory, 'spans')
    expect(spans).toHaveLength(18)
    expect(spans.slice(0, 9)).toEqual(spans.slice(9))
  })

  it('shares one wait for the disk with what comes at the same time', async () => {
    const { url, report, directory } = await startServer()
    await Promise.all(Array.from({ length: 40 }, (_, seq) => post(`${url}/v1/logs`, logsOf([note(seq)]))))
    expect(report().journals.events.syncs).toBeLessThan(40)
    expect(
      spooled(directory, 'events')
        .map(({ seq }) => seq)
        .sort(),
    ).toEqual(Array.from({ length: 40 }, (_, seq) => seq).sort())
  })
})

describe('what is partly wrong', () => {
  it('is kept but for the wrong part, and the sender is told', async () => {
    const { url, directory, report } = await startServer()
    const traces = await post(`${url}/v1/traces`, tracesOf('00f067aa0ba902b7', 'nix', '0'.repeat(16)))
    expect(await traces.json()).toEqual({
      partialSuccess: { rejectedSpans: '2', errorMessage: expect.stringMatching(/^2 x the span id/) },
    })
    expect(spooled(directory, 'spans').map(({ spanId }) => spanId)).toEqual(['00f067aa0ba902b7'])

    const ordinary = { body: { stringValue: 'GET / 200' }, severityText: 'INFO' }
    const request = JSON.parse(logsOf([note(1), { kind: 'note', seq: 2 }]))
    request.resourceLogs[0].scopeLogs[0].logRecords.push(ordinary)
    const logs = await post(`${url}/v1/logs`, JSON.stringify(request))
    const { partialSuccess } = (await logs.json()) as { partialSuccess: Record<string, string> }
    expect(partialSuccess.rejectedLogRecords).toBe('2')
    expect(partialSuccess.errorMessage).toContain('field "run" is missing')
    expect(partialSuccess.errorMessage).toContain('no run-log event')
    expect(report().counters).toMatchObject({ spans: 1, events: 1, rejected: 4 })
    // The event without a run is there to be looked at; a log of something else is none of ours.
    expect(spooled(directory, 'events')).toEqual([note(1), { kind: 'note', seq: 2 }])
  })
})

describe('what is refused', () => {
  const json = { 'content-type': 'application/json' }

  it('is told why, and with which code', async () => {
    const { url } = await startServer()
    const cases: [
      path: string,
      headers: Record<string, string>,
      body: string,
      status: number,
      code: number,
    ][] = [
      ['/v1/traces', json, '{', 400, 3],
      ['/v1/traces', { ...json, 'content-encoding': 'gzip' }, '{}', 400, 3],
      ['/v1/metrics', json, '{}', 404, 5],
      ['/v1/traces', { 'content-type': 'text/plain' }, '{}', 415, 3],
      ['/v1/traces', { 'content-type': 'application/json; charset=latin1' }, '{}', 415, 3],
      ['/v1/traces', { ...json, 'content-encoding': 'br' }, '{}', 415, 3],
      ['/v1/traces', { ...json, 'content-encoding': 'gzip, gzip' }, '{}', 415, 3],
      ['/v1/traces', { ...json, origin: 'http://127.0.0.1:4318' }, '{}', 403, 7],
    ]
    for (const [path, headers, body, status, code] of cases) {
      const answer = await post(`${url}${path}`, body, headers)
      expect([path, headers, answer.status]).toEqual([path, headers, status])
      expect(await answer.json()).toEqual({ code, message: expect.stringMatching(/\w/) })
    }
  })

  it('is told in the encoding of the request', async () => {
    const { url } = await startServer()
    const answer = await post(`${url}/v1/logs`, Buffer.from([0xff]), {
      'content-type': 'application/x-protobuf',
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/x-protobuf'])
    const status = fromBinary(RpcStatusSchema, new Uint8Array(await answer.arrayBuffer()))
    expect(status).toMatchObject({ code: 3, message: expect.stringContaining('no protobuf message') })
  })

  it('names the methods that would do', async () => {
    const { url } = await startServer()
    const get = await fetch(`${url}/v1/traces`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    const posted = await post(`${url}/counters`, '{}')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    // A browser asks first whether it may; nothing in the answer says that it may.
    const asked = await fetch(`${url}/v1/traces`, { method: 'OPTIONS' })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })

  it('over the limit: announced, sent in pieces, and after decompression', async () => {
    const { url, directory, report } = await startServer({ limits: { requestBytes: 100_000 } })
    const large = logsOf([{ ...note(1), text: 'x'.repeat(200_000) }])
    const pieces = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(large))
        controller.close()
      },
    })
    const streamed = { method: 'POST', body: pieces, duplex: 'half', headers: json } as RequestInit
    const answers = [
      await post(`${url}/v1/logs`, large),
      await fetch(`${url}/v1/logs`, streamed),
      await post(`${url}/v1/logs`, gzipSync(large), { 'content-encoding': 'gzip' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413])
    const messages = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { message: string }).message),
    )
    expect(messages[0]).toBe('more than 100000 bytes: send smaller batches')
    expect(messages[2]).toContain('after decompression')
    expect(report().inWorkBytes).toBe(0)
    expect(readdirSync(directory)).not.toContain('quarantine')
  })
})

describe('who may send', () => {
  const TOKEN = 'a-token-of-some-length'

  it('under another name of this machine than its own: nobody', async () => {
    const { port } = await startServer()
    const status = async (host: string) => {
      const asked = request({ port, host: '127.0.0.1', path: '/health', headers: { host } }).end()
      const [answer] = await once(asked, 'response')
      answer.resume()
      return answer.statusCode
    }
    const hosts = ['localhost', 'LOCALHOST:4318', '127.0.0.1', '127.8.9.1:1', '[::1]:4318']
    expect(await Promise.all(hosts.map(status))).toEqual([200, 200, 200, 200, 200])
    const foreign = [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      'localhost:1:1',
    ]
    expect(await Promise.all(foreign.map(status))).toEqual([403, 403, 403, 403, 403])
  })

  it('with a token: whoever names it', async () => {
    const { url } = await startServer({ token: TOKEN })
    const send = async (authorization?: string) =>
      (await post(`${url}/v1/traces`, '{}', authorization === undefined ? {} : { authorization })).status
    expect(await send(`Bearer ${TOKEN}`)).toBe(200)
    expect(await send(`bearer  ${TOKEN}`)).toBe(200)
    const wrong = [
      undefined,
      '',
      TOKEN,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      'Bearer ',
    ]
    expect(await Promise.all(wrong.map(send))).toEqual(wrong.map(() => 401))
    expect((await fetch(`${url}/counters`)).status).toBe(401)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  it.each([
    [{ host: '0.0.0.0' }, 'there is no token'],
    [{ token: 'short' }, 'shorter than 16 characters'],
    [{ token: 'a token with blanks in it' }, 'printable ASCII'],
    [{ host: '203.0.113.7', token: TOKEN }, 'this machine has no such address'],
  ])('is settled before anything is listened to: %j', async (options, reason) => {
    await expect(startServer(options)).rejects.toThrow(reason)
  })
})

describe('when the disk is in the way', () => {
  it('senders are put off, and taken again when it is not', async () => {
    const { url, directory, report } = await startServer()
    writeFileSync(join(directory, 'spool'), 'a file where the folder should be')
    const answer = await post(`${url}/v1/logs`, logsOf([note(1)]))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await fetch(`${url}/health`)).status).toBe(503)
    expect(report().counters.events).toBe(0)
    rmSync(join(directory, 'spool'))
    mkdirSync(join(directory, 'spool'))
    expect((await post(`${url}/v1/logs`, logsOf([note(1)]))).status).toBe(200)
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(spooled(directory, 'events')).toEqual([note(1)])
  })

  it('a segment that was deleted under the server is not written into any more', async () => {
    const { url, directory } = await startServer()
    await post(`${url}/v1/logs`, logsOf([note(1)]))
    rmSync(join(directory, 'spool'), { recursive: true })
    expect((await post(`${url}/v1/logs`, logsOf([note(2)]))).status).toBe(200)
    expect(spooled(directory, 'events')).toEqual([note(2)])
  })
})

describe('when there is too much at once', () => {
  it('senders are put off with 503', async () => {
    const { url, report } = await startServer({ limits: { bytesInWork: 1000 } })
    const answer = await post(`${url}/v1/logs`, logsOf([{ ...note(1), text: 'x'.repeat(2000) }]))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(report().inWorkBytes).toBe(0)
    expect((await post(`${url}/v1/logs`, logsOf([note(1)]))).status).toBe(200)
  })
})

describe('what cannot be read', () => {
  it('is kept with the reason, the newest hundred', async () => {
    const { url, directory } = await startServer()
    await post(`${url}/v1/traces`, gzipSync('{"a":'), { 'content-encoding': 'gzip' })
    await post(`${url}/v1/logs`, 'no gzip', { 'content-encoding': 'gzip' })
    const folder = join(directory, 'quarantine')
    const bodies = readdirSync(folder).filter((name) => !name.endsWith('.about.json'))
    expect(
      bodies.map((name) => [name.replace(/^\w+/, ''), readFileSync(join(folder, name), 'utf8')]),
    ).toEqual(
      expect.arrayContaining([
        ['.traces.json', '{"a":'],
        ['.logs.json.gz', 'no gzip'],
      ]),
    )
    for (let count = 0; count < 110; count++) await post(`${url}/v1/traces`, `nix ${count}`)
    const names = readdirSync(folder)
    expect(names.filter((name) => !name.endsWith('.about.json'))).toHaveLength(100)
    expect(names).toHaveLength(200)
    const newest = names.sort().at(-1)!
    expect(JSON.parse(readFileSync(join(folder, newest), 'utf8'))).toMatchObject({
      signal: 'traces',
      encoding: 'json',
      reason: expect.stringContaining('not valid JSON'),
    })
  })
})
