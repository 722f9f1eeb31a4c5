import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../instrumentation/index.ts'
import type { RunEvent } from '../../model/run-log.ts'
import { capture, ofKind, readCaptures } from './captures.ts'

async function operations(act: (run: Run, directory: string) => unknown): Promise<RunEvent[]> {
  const events = await capture((handspan, directory) => act(handspan.startRun(), directory))
  return ofKind(events, 'operation')
}

function states(events: RunEvent[]): unknown[] {
  return events.map(({ state }) => state)
}

describe('a wrapped function', () => {
  test('is recorded as sent before it runs, and as settled with its result', async () => {
    let onDisk: RunEvent[] = []
    const events = await operations(async (run, directory) => {
      const reserve = run.tool(
        async (args: { sku: string; key: string }) => {
          onDisk = ofKind(readCaptures(directory), 'operation')
          return { id: 'r-1', sku: args.sku }
        },
        { name: 'reserve_stock', agent: 'orders', key: (args) => args.key },
      )
      expect(await reserve({ sku: 'A-7', key: 'o7:2' })).toEqual({ id: 'r-1', sku: 'A-7' })
    })
    expect(states(onDisk)).toEqual(['sent'])
    expect(onDisk[0]).toMatchObject({
      agent: 'orders',
      tool: 'reserve_stock',
      args: { sku: 'A-7', key: 'o7:2' },
      effect: 'write',
      key: 'o7:2',
    })
    expect(states(events)).toEqual(['sent', 'settled'])
    expect(events[1]).toMatchObject({ op: onDisk[0]!.op, key: 'o7:2', result: { id: 'r-1', sku: 'A-7' } })
  })

  test.each([
    ['an AbortError', Object.assign(new Error('x'), { name: 'AbortError' }), 'unknown'],
    ['a TimeoutError', new DOMException('late', 'TimeoutError'), 'unknown'],
    ['a broken connection', Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'unknown'],
    [
      'a time-out below fetch',
      new TypeError('fetch failed', { cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } }),
      'unknown',
    ],
    ['a gateway without answer', Object.assign(new Error('x'), { status: 504 }), 'unknown'],
    ['only the words of one', new Error('Request timed out.'), 'unknown'],
    ['a refused connection', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'failed'],
    ['a refusal', Object.assign(new Error('out of stock'), { status: 409 }), 'failed'],
    ['something that is no error', 'no', 'failed'],
  ])('that ends with %s rethrows the very same and is %3$s', async (_what, error, state) => {
    const events = await operations(async (run) => {
      const call = run.tool(async () => {
        throw error
      })
      await expect(call()).rejects.toBe(error)
    })
    expect(states(events)).toEqual(['sent', state])
    expect(events[1]!.error).toBeDefined()
  })

  test('belongs to the agent as which the run is seen, unless another is named', async () => {
    const events = await operations(async (run) => {
      const orders = run.as('orders')
      await orders.tool(async () => 1, { name: 'a' })()
      await orders.tool(async () => 1, { name: 'b', agent: 'billing' })()
      await run.tool(async () => 1, { name: 'c' })()
    })
    const agentOf = (tool: string) => events.find((event) => event.tool === tool)!.agent
    expect([agentOf('a'), agentOf('b'), agentOf('c')]).toEqual(['orders', 'billing', undefined])
  })

  test('whose own abort signal fired is in doubt, whatever it throws', async () => {
    const events = await operations(async (run) => {
      const abort = new AbortController()
      const call = run.tool(async (_args: { n: number }, _options: { signal: AbortSignal }) => {
        abort.abort()
        throw new Error('stopped')
      })
      await call({ n: 1 }, { signal: abort.signal }).catch(() => {})
    })
    expect(states(events)).toEqual(['sent', 'unknown'])
  })

  test('is recorded as unknown after its timeout, and as settled when the answer comes after all', async () => {
    const events = await operations(async (run) => {
      let answer = (_text: string) => {}
      const call = run.tool(
        () =>
          new Promise<string>((done) => {
            answer = done
          }),
        { name: 'slow', timeout: 10 },
      )
      const pending = call()
      await new Promise((done) => setTimeout(done, 40))
      answer('late')
      expect(await pending).toBe('late')
    })
    expect(states(events)).toEqual(['sent', 'unknown', 'settled'])
  })

  test('that is synchronous stays so, with this, arguments and errors', async () => {
    const events = await operations((run) => {
      const desk = {
        stock: 5,
        take: run.tool(
          function (this: { stock: number }, count: number, _note?: string) {
            if (count > this.stock) throw new RangeError('too many')
            this.stock -= count
            return this.stock
          },
          { name: 'take' },
        ),
      }
      expect(desk.take(2, 'for Ada')).toBe(3)
      expect(() => desk.take(9)).toThrow(RangeError)
    })
    expect(states(events)).toEqual(['sent', 'settled', 'sent', 'failed'])
    expect(events[0]!.args).toEqual([2, 'for Ada'])
    expect(events[2]!.args).toBe(9)
  })

  test('keeps name, length and its own fields', async () => {
    await operations((run) => {
      const original = Object.assign(async function reserve(_a: number, _b: number) {}, {
        description: 'reserves',
      })
      const wrapped = run.tool(original)
      expect([wrapped.name, wrapped.length, wrapped.description]).toEqual(['reserve', 2, 'reserves'])
    })
  })

  test('gives back whatever the function gives, in the same state', async () => {
    await operations(async (run) => {
      await fc.assert(
        fc.asyncProperty(fc.anything({ withBigInt: true, withMap: true }), async (value) => {
          expect(run.tool(() => value)()).toBe(value)
          expect(await run.tool(async () => value)()).toBe(await (async () => value)())
        }),
      )
    })
  })

  test('an own kind of promise keeps its methods and starts its work once', async () => {
    class Query {
      #started = 0
      get started(): number {
        return this.#started
      }
      // biome-ignore lint/suspicious/noThenProperty: a thenable is the thing under test
      then(done?: (value: string) => unknown, failed?: (error: unknown) => unknown) {
        this.#started++
        return Promise.resolve('row').then(done, failed)
      }
      limit(): this {
        return this
      }
    }
    const query = new Query()
    const events = await operations(async (run) => {
      const result = run.tool(() => query, { name: 'select', effect: 'read' })()
      expect(result).toBeInstanceOf(Query)
      expect(result.limit()).toBe(query)
      expect(query.started).toBe(0)
      expect(await result).toBe('row')
    })
    expect(query.started).toBe(1)
    expect(states(events)).toEqual(['sent', 'settled'])
  })

  test('a second call under the same key is another attempt at the same operation; other arguments make another one', async () => {
    const events = await operations(async (run) => {
      const call = run.tool(
        async (_args: { key: string; count: number }) => {
          throw new DOMException('late', 'TimeoutError')
        },
        { name: 'reserve', key: (args) => args.key },
      )
      await call({ key: 'k', count: 4 }).catch(() => {})
      await call({ count: 4, key: 'k' }).catch(() => {})
      await call({ key: 'k', count: 5 }).catch(() => {})
    })
    const sent = events.filter(({ state }) => state === 'sent')
    expect(sent.map(({ op }) => op === sent[0]!.op)).toEqual([true, true, false])
    expect(sent.map(({ attempt }) => attempt)).toEqual([undefined, 2, undefined])
  })

  test('a key that cannot be found costs the key, not the call', async () => {
    const events = await operations(async (run) => {
      const call = run.tool(async () => 1, {
        key: () => {
          throw new Error('no key')
        },
      })
      expect(await call()).toBe(1)
    })
    expect(states(events)).toEqual(['sent', 'settled'])
    expect(events[0]).not.toHaveProperty('key')
  })

  test('an unhandled rejection stays unhandled', async () => {
    const { promise, listener } = nextUnhandled()
    await operations(async (run) => {
      run.tool(async () => {
        throw new Error('nobody looks')
      })()
      expect(String(await promise)).toContain('nobody looks')
    })
    process.off('unhandledRejection', listener)
  })
})

/** Vitest listens to unhandled rejections itself; here ours has to be the only one. */
function nextUnhandled() {
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  let listener = (_error: unknown) => {}
  const promise = new Promise<unknown>((done) => {
    listener = (error) => {
      for (const other of others) process.on('unhandledRejection', other)
      done(error)
    }
  })
  process.once('unhandledRejection', listener)
  return { promise, listener }
}

test('manual transitions of an operation', async () => {
  const events = await operations((run, directory) => {
    const operation = run.operation({
      tool: 'pay',
      args: { eur: 90 },
      key: 'p-1',
      agent: 'clerk',
      call: 'c1',
    })
    expect(fs.readdirSync(path.join(directory, 'spool'))).toHaveLength(1)
    operation.proposed()
    operation.sent()
    operation.unknown(new Error('gone'))
    operation.settled('ok', 'key')
    run.operation({ tool: 'pay', op: 'op-9' }).closed()
    run.operation({ tool: 'pay', op: 'op-9' }).failed('refused')
  })
  expect(states(events)).toEqual(['proposed', 'sent', 'unknown', 'settled', 'closed', 'failed'])
  expect(events[0]).toMatchObject({
    tool: 'pay',
    args: { eur: 90 },
    key: 'p-1',
    agent: 'clerk',
    call: 'c1',
    effect: 'write',
  })
  expect(events[3]).toMatchObject({ op: events[0]!.op, result: 'ok', by: 'key' })
  expect(events[5]).toMatchObject({ op: 'op-9', error: 'refused' })
})
