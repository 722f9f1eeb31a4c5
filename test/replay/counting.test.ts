import { expect, it } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { analyse } from '../../replay/analyse.ts'
import { end, log, received, sent, start } from './run-builder.ts'

/** A counter of characters that remembers what it was asked. */
const counting = () => {
  const asked: string[] = []
  const count = (text: string) => {
    asked.push(text)
    return text.length
  }
  return { asked, tokens: { method: 'characters', count } }
}

const items = [{ id: 'u1', type: 'message', role: 'user', content: 'Größe 38, bitte.' }]
const run = (limit: object = {}): RunEvent[] =>
  log([
    start(),
    sent('h1', 'a', 'b', { items_before: items, ...limit }),
    received('h1', 'b', { items }),
    end(),
  ])

it('tokens are counted when somebody asks for them, and once', () => {
  const { asked, tokens } = counting()
  const { sizes } = analyse(run(), { tokens }).diffs[0]!
  expect(asked).toEqual([])
  const whole = JSON.stringify(items)
  expect([sizes.items!.tokens, sizes.items!.tokens]).toEqual([whole.length, whole.length])
  expect(asked).toEqual([whole])
  expect(JSON.parse(JSON.stringify(sizes.items))).toEqual({
    bytes: Buffer.byteLength(whole),
    tokens: whole.length,
    count: 1,
  })
})

it('a check counts them where a limit was stated', () => {
  const { asked, tokens } = counting()
  const { findings } = analyse(run({ token_limit: 20 }), { tokens })
  expect(findings.map(({ check }) => check)).toEqual(['payload-too-large'])
  expect(asked).toHaveLength(1)
})
