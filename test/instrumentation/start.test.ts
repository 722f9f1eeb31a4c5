import { describe, expect, test } from 'vitest'
import { start } from '../../instrumentation/index.ts'
import { readSettings } from '../../instrumentation/settings.ts'
import { capture, ofKind } from './captures.ts'

function settings(options: unknown, environment: Record<string, string> = {}) {
  const warnings: string[] = []
  return { ...readSettings(options as never, environment, (message) => warnings.push(message)), warnings }
}

describe('the settings', () => {
  test('defaults', () => {
    expect(settings(undefined)).toMatchObject({
      enabled: true,
      service: undefined,
      directory: './.handspan',
      content: 'full',
      fsync: false,
      hashKey: undefined,
      warnings: [],
    })
  })

  test('the environment, and options before it', () => {
    const environment = {
      HANDSPAN_DIR: '/srv/captures',
      HANDSPAN_CONTENT: 'shape',
      HANDSPAN_HASH_KEY: 'k',
      OTEL_SERVICE_NAME: 'orders',
    }
    expect(settings({}, environment)).toMatchObject({
      directory: '/srv/captures',
      content: 'shape',
      hashKey: 'k',
      service: 'orders',
    })
    expect(
      settings({ directory: 'd', content: 'full', hashKey: 'o', service: 's' }, environment),
    ).toMatchObject({
      directory: 'd',
      content: 'full',
      hashKey: 'o',
      service: 's',
    })
  })

  test('an empty variable is unset, only true disables', () => {
    expect(settings({}, { HANDSPAN_DIR: '', HANDSPAN_CONTENT: ' ', OTEL_SDK_DISABLED: '' })).toMatchObject({
      directory: './.handspan',
      content: 'full',
      enabled: true,
      warnings: [],
    })
    expect(settings({}, { OTEL_SDK_DISABLED: '1' }).enabled).toBe(true)
    expect(settings({}, { OTEL_SDK_DISABLED: 'True' }).enabled).toBe(false)
  })

  test.each([
    [{ content: 'shapes' }, 'content'],
    [{ directory: 7 }, 'directory'],
    [{ limits: { totalBytes: -1 } }, 'totalBytes'],
    [{ limits: { segmentBytes: Number.NaN } }, 'segmentBytes'],
    [{ redact: true }, 'redact'],
  ])('a bad value is told and the safe one taken: %j', (options, name) => {
    const read = settings(options)
    expect(read.warnings).toHaveLength(1)
    expect(read.warnings[0]).toContain(name)
    expect(read.limits.totalBytes).toBe(1024 * 1024 * 1024)
  })
})

describe('start', () => {
  test('gives the same object again, whatever the options, until shutdown', async () => {
    let first: unknown
    await capture((handspan) => {
      first = handspan
      expect(start()).toBe(handspan)
      expect(start({ service: 'other' })).toBe(handspan)
    })
    await capture((handspan) => expect(handspan).not.toBe(first))
  })
})

describe('a run', () => {
  test('starts with what is known of it and ends with its function', async () => {
    const events = await capture(
      async (handspan) => {
        const answer = await handspan.run(
          {
            id: 'r-1',
            principal: 'webhook:warehouse',
            agents: ['a', { name: 'b', tools: ['t'] }],
            labels: { ticket: 7 },
            replay_of: 'r-0',
          },
          async (run) => {
            await Promise.resolve()
            expect(handspan.current()).toBe(run)
            return 42
          },
        )
        expect(answer).toBe(42)
        expect(handspan.current()).toBeUndefined()
      },
      { service: 'orders' },
    )
    expect(events).toMatchObject([
      {
        run: 'r-1',
        kind: 'run.start',
        principal: 'webhook:warehouse',
        agents: [{ name: 'a' }, { name: 'b', tools: ['t'] }],
        labels: { ticket: 7 },
        replay_of: 'r-0',
        service: 'orders',
      },
      { run: 'r-1', kind: 'run.end' },
    ])
  })

  test('that throws ends as failed, and the very same error goes on', async () => {
    const error = new RangeError('too many')
    const events = await capture(async (handspan) => {
      await expect(
        handspan.run({}, () => {
          throw error
        }),
      ).rejects.toBe(error)
    })
    expect(events.at(-1)).toMatchObject({
      kind: 'run.failed',
      error: { name: 'RangeError', message: 'too many' },
    })
  })

  test('without a function: ends once, by end() or at the end of its scope', async () => {
    const events = await capture(async (handspan) => {
      const one = handspan.startRun()
      one.within(() => expect(handspan.current()).toBe(one))
      one.end('booked')
      one.end('again')
      one.failed('again')
      await using two = handspan.startRun()
      two.event('inside')
    })
    expect(events.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['run.start', undefined],
      ['run.end', 'booked'],
      ['run.start', undefined],
      ['inside', undefined],
      ['run.end', undefined],
    ])
  })

  test('runs side by side keep apart', async () => {
    await capture(async (handspan) => {
      const ids = await Promise.all(
        ['a', 'b', 'c'].map((id) =>
          handspan.run({ id }, async () => {
            await new Promise((done) => setTimeout(done, 2))
            return handspan.current()?.id
          }),
        ),
      )
      expect(ids).toEqual(['a', 'b', 'c'])
    })
  })

  test('what an agent may do and what it is', async () => {
    const events = await capture((handspan) => {
      const run = handspan.startRun()
      run.agent({ name: 'billing', tools: ['invoice'], mode: 'careful' })
      run.permission({ agent: 'billing', allow: ['invoice'], closed: true })
      run.truth('op-1', 'settled')
    })
    expect(ofKind(events, 'agent.config')).toMatchObject([
      { agent: 'billing', tools: ['invoice'], mode: 'careful' },
    ])
    expect(ofKind(events, 'permission')).toMatchObject([
      { agent: 'billing', allow: ['invoice'], closed: true },
    ])
    expect(ofKind(events, 'truth')).toMatchObject([{ op: 'op-1', state: 'settled' }])
  })
})
