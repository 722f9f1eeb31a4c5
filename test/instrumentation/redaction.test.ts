import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact } from '../../instrumentation/redaction.ts'
import type { JsonObject } from '../../model/json.ts'
import { capture } from './captures.ts'

// Written in pieces, so that no scanner takes this file for a leak.
const letters = 'Zq9xV2bLm4Tn7RkW8cYpD3sHfG6jA1eU5oQzXw0v'
const token = (prefix: string, length: number) => prefix + letters.repeat(3).slice(0, length)

const SECRETS: [string, string][] = [
  ['an OpenAI key', token('sk-', 48)],
  ['an OpenAI project key', token('sk-proj-', 60)],
  ['an Anthropic key', token('sk-ant-api03-', 60)],
  ['a Stripe key', token('sk_live_', 24)],
  ['a GitHub token', token('ghp_', 36)],
  ['a fine-grained GitHub token', token('github_pat_', 60)],
  ['a GitLab token', token('glpat-', 20)],
  ['an npm token', token('npm_', 36)],
  ['a Slack token', token('xoxb-', 40)],
  ['an AWS access key id', `AKIA${'IOSFODNN7EXAMPLE'}`],
  ['a Google API key', token('AIza', 35)],
  ['a Google OAuth token', token('ya29.', 40)],
  ['a Hugging Face token', token('hf_', 34)],
  ['a SendGrid key', `${token('SG.', 22)}.${token('', 43)}`],
  ['a JSON Web Token', `eyJhbGciOiJIUzI1NiJ9.${token('eyJ', 30)}.${token('', 30)}`],
  ['a bearer token', token('', 32)],
  [
    'a private key',
    `-----BEGIN RSA PRIVATE ${'KEY'}-----\n${token('', 64)}\n-----END RSA PRIVATE ${'KEY'}-----`,
  ],
]

function inText(secret: string): string {
  return `call it with Authorization: Bearer ${secret} and go on`
}

describe('the default redaction', () => {
  test.each(SECRETS)('%s goes, wherever it stands, and the text around it stays', (_what, secret) => {
    const { fields, replaced } = redact({
      content: inText(secret),
      items: [{ role: 'tool', content: [{ type: 'text', text: inText(secret) }] }],
      record: { evidence: [{ summary: inText(secret) }] },
      [inText(secret)]: 1,
    })
    const text = JSON.stringify(fields)
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(text).toContain('call it with Authorization')
    expect(text).toContain('and go on')
    expect(replaced).toBeGreaterThanOrEqual(4)
  })

  test.each(SECRETS.filter(([what]) => what !== 'a bearer token'))(
    '%s goes without an introduction',
    (_what, secret) => {
      expect(JSON.stringify(redact({ content: `it is ${secret}` }).fields)).not.toContain(
        JSON.stringify(secret).slice(1, -1),
      )
    },
  )

  test.each([
    'password',
    'Password',
    'db_password',
    'passwd',
    'secret',
    'client_secret',
    'clientSecret',
    'token',
    'access_token',
    'refreshToken',
    'Authorization',
    'proxy-authorization',
    'x-api-key',
    'apiKey',
    'OPENAI_API_KEY',
    'private_key',
    'Cookie',
    'set-cookie',
    'credentials',
  ])('a field named %s goes by its name', (name) => {
    const { fields } = redact({
      args: { [name]: 'hunter2' },
      items: [{ args: { [name]: { inner: 'hunter2' } } }],
    })
    expect(JSON.stringify(fields)).not.toContain('hunter2')
  })

  test.each([
    ['https://api.example.com/?access_token=abcd1234efgh', 'abcd1234efgh'],
    ['postgres://orders:pa55word@db.internal:5432/stock', 'pa55word'],
    ['{"password": "correct horse"}', 'correct'],
    ['export API_KEY=abcd-1234', 'abcd-1234'],
  ])('in a text: %s', (text, secret) => {
    expect(JSON.stringify(redact({ content: text }).fields)).not.toContain(secret)
  })

  test.each([
    'The token budget is 4000 and the password policy has changed.',
    'Basic reservation of 40 pieces for task-12',
    'Ask the bearer of the letter',
    'sk-a shop in Kiel',
    'see https://example.com:8080/a?b=c and mail ops@example.com',
    'commit 4f2c1e9b0a7d6e5f4c3b2a190817263544536271',
    '550e8400-e29b-41d4-a716-446655440000',
  ])('ordinary words stay: %s', (text) => {
    expect(redact({ content: text })).toEqual({ fields: { content: text }, replaced: 0 })
  })

  test('ids and keys of the run log stay, whatever they look like', () => {
    const key = token('sk-', 40)
    const fields: JsonObject = {
      op: key,
      key,
      id: key,
      handoff: key,
      call: key,
      approval: key,
      record: {
        open_operations: [{ op: key, key }],
        completed_effects: [{ key }],
        pending_actions: [{ id: key, for: key }],
        correlation_id: key,
      },
    }
    expect(redact(fields).fields).toEqual(fields)
  })

  test('ids and keys inside arguments and items stay when they are no credentials', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.stringMatching(/^[a-z0-9]{1,12}:[0-9]{1,6}$/), (id, key) => {
        const fields = { args: { key, id }, items: [{ id, call: id, args: { key } }] }
        expect(redact(fields).fields).toEqual(fields)
      }),
    )
  })

  test('never throws, and keeps the shape of what it is given', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        redact(fields as JsonObject)
      }),
    )
  })
})

describe("the program's own hook", () => {
  test('sees every text with its path, after the default redaction, and decides', async () => {
    const seen: string[] = []
    const events = await capture(
      (handspan) => {
        const run = handspan.startRun()
        run.message({ id: 'm1', role: 'user', content: [{ text: 'Ada Lovelace' }] })
      },
      {
        redact: (text, path) => {
          seen.push(path)
          return text.replace('Ada Lovelace', 'somebody')
        },
      },
    )
    expect(seen).toContain('content[0].text')
    expect(seen).not.toContain('id')
    expect(JSON.stringify(events)).toContain('somebody')
    expect(JSON.stringify(events)).not.toContain('Ada')
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['gives no text', () => 7],
    ['is no function', 'remove names'],
  ])('that %s lets nothing through', async (_what, hook) => {
    const events = await capture(
      (handspan) => handspan.startRun().message({ id: 'm1', content: 'Ada Lovelace' }),
      { redact: hook as never },
    )
    expect(events).toHaveLength(2)
    expect(JSON.stringify(events)).not.toContain('Ada')
    expect(events[1]).toMatchObject({ id: 'm1', content: expect.stringContaining('[redacted') })
  })
})
