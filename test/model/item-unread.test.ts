import { describe, expect, it } from 'vitest'
import { shapeFields } from '../../instrumentation/shape.ts'
import { readItems } from '../../model/items.ts'
import type { JsonObject } from '../../model/json.ts'

const one = (entry: unknown) => readItems([entry])[0]!

describe('an entry in a form that nobody knows', () => {
  it.each([
    [
      'an event',
      { event: 'said', by: 'user', body: { words: ['How much', 'is 7?'], sku: 7 } },
      'said\nuser\nHow much\nis 7?\n7',
    ],
    ['a type of its own', { type: 'tool_outcome', of: { call: 'c1' }, value: '812 EUR' }, 'c1\n812 EUR'],
    [
      'a message whose calls stand elsewhere',
      { role: 'assistant', content: null, asks: [{ id: 'c1', fn: 'price' }] },
      'price',
    ],
    ['a list', ['How much?'], 'How much?'],
  ])('is shown with its words, and marked (%s)', (_, entry, text) => {
    expect(one(entry)).toMatchObject({ unread: true, text: expect.stringContaining(text) })
  })

  it('is read by its words alone where it is flat: nothing stands elsewhere', () => {
    const flat = one({ type: 'tool_outcome', of: 'c1', values: ['812 EUR', 3] })
    expect(flat).toMatchObject({ type: 'tool_outcome', text: 'c1\n812 EUR\n3', unread: undefined })
    expect(one({ role: 'user', words: 'How much?' })).toMatchObject({
      type: 'message',
      role: 'user',
      text: 'How much?',
    })
  })

  it('shows no bytes', () => {
    expect(one({ kind: 'blob', body: 'iVBORw0KGgo'.repeat(100), note: 'a picture' }).text).toBe('a picture')
  })

  it('stays marked where only its size and hash are in the log', () => {
    const { items } = shapeFields(
      { items: [{ kind: 'said', body: { words: 'How much is it?' } }] } as JsonObject,
      {},
    )
    expect(JSON.stringify(items)).not.toContain('How much')
    expect(readItems(items)).toMatchObject([{ unread: true }])
  })
})

describe('an entry that was read', () => {
  it.each([
    ['is a message', { role: 'user', content: 'How much?', extras: { a: ['b'] } }],
    [
      'is a message that says nothing',
      { role: 'assistant', content: '', model: 'm-1', usage: { by: 'tier' } },
    ],
    ['is a message with empty parts', { role: 'assistant', content: [{ type: 'text', text: '' }] }],
    ['holds who says something, and nothing else', { id: 'm1', role: 'user', created_at: 'yesterday' }],
    ['is a question for a yes', { type: 'approval', approval: 'ap-1', for: 'op-1', state: 'pending' }],
    [
      'is a thought that is encrypted',
      { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'gAAA' },
    ],
    ['is a hosted call', { type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo' }],
    [
      'only changes the state of a session',
      { author: 'a', invocationId: 'i1', actions: { stateDelta: { x: 'y' } } },
    ],
    ['belongs to the transcript', { type: 'file-history-snapshot', snapshot: { files: ['a.ts'] } }],
    ['is nothing', null],
  ])('is not marked if it %s', (_, entry) => {
    expect(one(entry).unread).toBeUndefined()
  })
})
