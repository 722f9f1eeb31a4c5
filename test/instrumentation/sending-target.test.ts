import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Backoff } from '../../instrumentation/sending/backoff.ts'
import { exposure, readTarget } from '../../instrumentation/sending/target.ts'

describe('where to send', () => {
  const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/otel/' }
  const EXACT = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs.example/in' }
  test.each<[string, string | undefined, Record<string, string>, string]>([
    ['nothing is said', undefined, {}, 'http://127.0.0.1:4318/v1/logs'],
    [
      'an empty variable is none',
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
      'http://127.0.0.1:4318/v1/logs',
    ],
    ['a server', 'https://traces.example', {}, 'https://traces.example/v1/logs'],
    ['a server behind a path', 'https://example/handspan/', {}, 'https://example/handspan/v1/logs'],
    ['the whole address', 'https://traces.example/v1/logs', {}, 'https://traces.example/v1/logs'],
    ['the variable for everything', undefined, BASE, 'http://collector:4318/otel/v1/logs'],
    ['the variable for logs is taken as it is', undefined, { ...BASE, ...EXACT }, 'https://logs.example/in'],
    ['what is said comes first', 'http://mine', { ...BASE, ...EXACT }, 'http://mine/v1/logs'],
  ])('%s', (_name, url, environment, expected) => {
    expect(readTarget({ url }, environment).url.href).toBe(expected)
  })

  test('spans have a path and variables of their own', () => {
    expect(readTarget({}, BASE, 'traces').url.href).toBe('http://collector:4318/otel/v1/traces')
    expect(readTarget({}, EXACT, 'traces').url.href).toBe('http://127.0.0.1:4318/v1/traces')
  })

  test('headers of the environment go to the address of the environment alone; the token goes where it is told', () => {
    const environment = {
      ...BASE,
      OTEL_EXPORTER_OTLP_HEADERS: 'Api-Key=a%20b,broken,team=x',
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'team=logs',
    }
    expect(readTarget({}, environment).headers).toEqual({ 'api-key': 'a b', team: 'logs' })
    expect(readTarget({ url: 'http://other' }, environment).headers).toEqual({})
    expect(readTarget({ url: 'http://other' }, { HANDSPAN_TOKEN: 't' }).headers).toEqual({
      authorization: 'Bearer t',
    })
    expect(readTarget({ token: 'mine' }, { HANDSPAN_TOKEN: 't' }).headers).toEqual({
      authorization: 'Bearer mine',
    })
  })

  test.each(['collector:4318', 'ftp://collector', 'no address'])('%s is refused by name', (url) => {
    expect(() => readTarget({ url }, {})).toThrow(`${url} is no http or https address`)
  })

  test.each([
    ['http://example:4318', true],
    ['https://example:4318', false],
    ['http://127.0.0.1:4318', false],
    ['http://localhost', false],
    ['http://[::1]:4318', false],
    ['http://127.0.0.1.example', true],
  ])('a token on its way to %s can be read in between: %s', (url, exposed) => {
    expect(exposure(readTarget({ url, token: 't' }, {})) !== undefined).toBe(exposed)
    expect(exposure(readTarget({ url }, {}))).toBeUndefined()
  })
})

describe('waiting', () => {
  test('doubles from the first to the most, each drawn from its upper half, and begins anew', () => {
    const backoff = new Backoff({ first: 1_000, most: 60_000 })
    for (const _ of ['down', 'and again']) {
      for (const ceiling of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
        const wait = backoff.failed()
        expect(wait).toBeGreaterThanOrEqual(ceiling / 2)
        expect(wait).toBeLessThanOrEqual(ceiling)
      }
      backoff.succeeded()
    }
  })

  test('what the server asks for is the least, within five minutes', () => {
    fc.assert(
      fc.property(fc.nat(), (retryAfter) => {
        const wait = new Backoff({ first: 1_000, most: 60_000 }).failed(retryAfter)
        expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfter, 300_000))
        expect(wait).toBeLessThanOrEqual(300_000)
      }),
    )
  })
})
