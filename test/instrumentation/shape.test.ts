import fs from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Handspan, StartOptions } from '../../instrumentation/index.ts'
import { constraintHash, hashText } from '../../model/hash.ts'
import { readItems } from '../../model/items.ts'
import { parseEvent } from '../../model/parse-event.ts'
import { capture, ofKind, temporaryDirectory } from './captures.ts'

const SHAPE: StartOptions = { content: 'shape' }

/** Puts the text wherever an agent's program could have text. */
async function sayEverywhere(handspan: Handspan, text: string): Promise<void> {
  await handspan
    .run({ principal: { kind: 'human', id: 'u-1' }, labels: { note: text } }, async (run) => {
      run.constraint(text, { forbid: { tool: 'pay', args: { to: text } } }, { id: 'c-1' })
      run.approval({ action: 'pay', scope: { to: text }, shown: text, id: 'ap-1' }).reject({ reason: text })
      run.commitment(text, { id: 'p-1' })
      run.message({ id: 'm-1', role: 'user', content: text })
      run.message({ id: 'm-2', role: 'assistant', content: [{ type: 'text', text }], intent: text })
      run.modelInput({
        items: [text, { [text]: text }],
        instructions: [text],
        tools: [{ name: 'pay', description: text, parameters: { [text]: {} } }],
      })
      run.event('memory.written', { value: text, nested: { deep: [text] }, list: [text] })
      await run.tool(async (args: unknown) => ({ answer: args, text }), { name: 'pay', key: 'k-1' })({
        to: text,
        [text]: text,
      })
      await run
        .tool(
          async () => {
            throw new Error(text)
          },
          { name: 'pay' },
        )()
        .catch(() => {})
      const handoff = run.handoff({
        to: 'billing',
        reason: text,
        brief: text,
        task: text,
        intent: text,
        status: { done: [text] },
        evidence: [{ ref: text, summary: text }],
        next_action: text,
        stop_condition: text,
        unresolved_questions: [text],
        attempted: [{ tool: 'pay', args: { to: text }, outcome: text }],
        rejected: [text],
        items: [
          { role: 'user', content: text },
          { type: 'function_call', call_id: 'c-1', name: 'pay', arguments: JSON.stringify({ to: text }) },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'c-2', name: 'pay', input: { to: text } },
              { type: 'text', text },
            ],
          },
          { role: 'tool', tool_call_id: 'c-1', content: text },
          { type: 'reasoning', summary: [{ text }], encrypted_content: text },
        ],
      })
      handoff.failed('unknown', new Error(text))
      handoff.deadLettered({ reason: text, attempts: [text] })
      const received = handspan.receive(handoff.carrier, {
        by: 'billing',
        items: [{ content: text }],
        record: handoff.record,
        instructions: text,
        tools: [{ name: 'pay', description: text }],
      })
      received.decline(text)
      received.verdict('block', [text])
      throw new Error(text)
    })
    .catch(() => {})
}

test('no text of eight characters or more is on disk, wherever it stood', async () => {
  // A sentence: what has no space in it may be an id, a name or a key, and those stay where ids stand.
  const word = fc.string({
    minLength: 4,
    maxLength: 30,
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzäß"\\\n{}'),
  })
  const sentence = fc.tuple(word, word).map(([one, two]) => `${one} ${two}`)
  await fc.assert(
    fc.asyncProperty(sentence, async (text) => {
      const directory = temporaryDirectory()
      const events = await capture((handspan) => sayEverywhere(handspan, text), { ...SHAPE, directory })
      expect(fs.existsSync(directory)).toBe(false)
      expect(ofKind(events, 'run.failed')).toHaveLength(1)
      const written = JSON.stringify(events)
      expect(written).not.toContain(JSON.stringify(text).slice(1, -1))
      for (const half of text.split(' ').filter((part) => part.length >= 8)) {
        expect(written).not.toContain(JSON.stringify(half).slice(1, -1))
      }
      for (const event of events) expect(parseEvent(event)).toEqual({ event, asWritten: true })
    }),
    { numRuns: 30 },
  )
})

describe('what stays', () => {
  test('ids, keys, types, roles, tools, states; sizes and hashes stand for the rest', async () => {
    const text = 'Please reserve forty pieces'
    const events = await capture((handspan) => sayEverywhere(handspan, text), SHAPE)
    const operations = ofKind(events, 'operation')
    expect(operations[0]).toMatchObject({ tool: 'pay', key: 'k-1', effect: 'write', state: 'sent' })
    expect(operations[0]!.args).toEqual({
      bytes: expect.any(Number),
      hash: expect.stringMatching(/^sha256:/),
    })
    expect(ofKind(events, 'message')[0]).toMatchObject({
      id: 'm-1',
      role: 'user',
      content: `shape:${Buffer.byteLength(text)}:${hashText(text)}`,
    })
    const sent = ofKind(events, 'handoff.sent')[0]!
    expect(sent).toMatchObject({ to: 'billing', principal: { kind: 'human', id: 'u-1' } })
    expect((sent.shape as Record<string, { count: number }>).items_before!.count).toBe(5)
    const failed = ofKind(events, 'run.failed')[0]!
    expect(failed.error).toMatchObject({ bytes: expect.any(Number) })
  })

  test('items read as the same types, roles, calls and tools as in full', async () => {
    const text = 'Please reserve forty pieces'
    const list = async (options: StartOptions) => {
      const events = await capture((handspan) => sayEverywhere(handspan, text), options)
      return readItems(ofKind(events, 'handoff.sent')[0]!.items_before)
    }
    const outline = (items: ReturnType<typeof readItems>) =>
      items.map(({ type, role, call, tool }) => ({ type, role, call, tool }))
    const full = outline(await list({ content: 'full' }))
    expect(full).toMatchObject([
      { type: 'message', role: 'user' },
      { type: expect.stringContaining('call'), call: 'c-1', tool: 'pay' },
      { type: 'message', role: 'assistant' },
      { call: 'c-2', tool: 'pay' },
      { type: 'tool_result', call: 'c-1' },
      { type: 'reasoning' },
    ])
    expect(outline(await list(SHAPE))).toEqual(full)
  })

  test('a constraint has the same hash in its event and in the record, also under a key', async () => {
    const constraint = { text: 'Invoice only what  is reserved', check: { order: ['reserve', 'invoice'] } }
    for (const hashKey of [undefined, 'secret']) {
      const events = await capture(
        (handspan) => {
          const run = handspan.startRun()
          run.constraint(constraint.text, constraint.check, { id: 'c-1' })
          run.handoff({ to: 'b' })
        },
        { ...SHAPE, ...(hashKey ? { hashKey } : {}) },
      )
      const hash = constraintHash(constraint, { key: hashKey })
      expect(ofKind(events, 'constraint')[0]).toMatchObject({ hash, check: constraint.check })
      const { constraints } = ofKind(events, 'handoff.sent')[0]!.record as { constraints: unknown[] }
      expect(constraints).toMatchObject([{ id: 'c-1', hash, check: constraint.check }])
    }
  })

  test('the record of the program is not shaped: only what is written is', async () => {
    await capture((handspan) => {
      const run = handspan.startRun()
      run.operation({ tool: 'pay', key: 'k', args: { to: 'Ada Lovelace' } }).sent()
      expect(run.handoff({ to: 'b' }).record.open_operations[0]).toMatchObject({
        args: { to: 'Ada Lovelace' },
      })
    }, SHAPE)
  })
})
