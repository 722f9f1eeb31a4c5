import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { malformed, pipelined, REQUEST_BYTES } from './malformed.ts'
import { exchange, rawRequest } from './raw-http.ts'
import { logsOf, post, startServer, type TestServer } from './serving.ts'

// HANDSPAN_MALFORMED=10000 makes the long run; its memory is printed and must not grow with it.
const RUNS = Number(process.env.HANDSPAN_MALFORMED || 200)

/** Bytes of the heap that are in use, after what is not has been collected. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** After whatever came, the server holds nothing of it and takes what is right. */
async function isWell({ url, report }: TestServer): Promise<void> {
  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect((await post(`${url}/v1/logs`, logsOf([{ run: 'well', seq: 1, kind: 'note' }]))).status).toBe(200)
  expect(report().inWorkBytes).toBe(0)
  expect(report().counters.refused).not.toHaveProperty('500')
}

describe('malformed requests', () => {
  it('get the right answer, and leave nothing behind', async () => {
    const server = await startServer({ limits: { requestBytes: REQUEST_BYTES } })
    const memory: number[] = []
    let sent = 0
    await fc.assert(
      fc.asyncProperty(malformed, async ({ pieces, right, type, halfClose }) => {
        const { answers, cut } = await exchange(server.port, pieces, { halfClose: halfClose ?? false })
        expect(cut).toBe(false)
        const statuses = answers.map(({ status }) => status)
        if (right.length === 0) expect(statuses.filter((status) => status < 400 || status > 499)).toEqual([])
        else expect(right).toContain(statuses[0])
        if (type !== undefined) expect(answers[0]?.type).toBe(type)
        if (++sent % Math.ceil(RUNS / 10) === 0) memory.push(heapInUse())
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
    await isWell(server)
    if (process.env.HANDSPAN_MALFORMED) {
      console.log(
        `heap in MB after each tenth: ${memory.map((bytes) => (bytes / 1e6).toFixed(1)).join(', ')}`,
      )
      console.log(JSON.stringify(server.report()))
      // The first half fills caches; the second may add less than a kilobyte a request.
      expect(memory[9]! - memory[4]!).toBeLessThan((RUNS / 2) * 1000)
    }
  }, 1_200_000)

  it('sent in one go are answered in their order', async () => {
    const server = await startServer()
    await fc.assert(
      fc.asyncProperty(pipelined, async ({ pieces, rights }) => {
        const { answers } = await exchange(server.port, pieces)
        expect(answers.map(({ status }) => status)).toEqual(rights)
      }),
      { numRuns: 20 },
    )
    await isWell(server)
  })
})

describe('slow senders', () => {
  it('are told to come back when their headers or their body take too long', async () => {
    const server = await startServer({ limits: { headersTime: 200, requestTime: 400 } })
    const whole = rawRequest(
      'POST /v1/traces',
      { 'content-type': 'application/json', 'content-length': '9' },
      '{}',
    )
    const results = await Promise.all([
      exchange(server.port, [whole.subarray(0, 30)]),
      exchange(server.port, [whole]),
      ...Array.from({ length: 30 }, () => exchange(server.port, ['P'])),
    ])
    for (const { answers, cut } of results) {
      expect([answers.map(({ status }) => status), cut]).toEqual([[408], false])
    }
    await isWell(server)
  })

  it('do not keep a stopping server', async () => {
    const server = await startServer({ limits: { stopTime: 300 } })
    const slow = exchange(server.port, [rawRequest('POST /v1/traces', { 'content-length': '9' }, '{}')])
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.stop()
    expect((await slow).cut).toBe(false)
  })

  it('do not get more connections than there are', async () => {
    const server = await startServer({ limits: { connections: 5, requestTime: 1000, headersTime: 500 } })
    const results = await Promise.all(Array.from({ length: 20 }, () => exchange(server.port, ['P'])))
    expect(results.filter(({ answers }) => answers.length === 0)).toHaveLength(15)
    await isWell(server)
  })
})
