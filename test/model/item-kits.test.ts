import { describe, expect, it } from 'vitest'
import { readItems } from '../../model/items.ts'

/* Forms that a kit uses beside, or instead of, the one its own documentation shows first. */

const shortly = (items: readonly unknown[]) =>
  readItems(items).map(({ path, type, role, text, call, tool, args }) => ({
    path,
    type,
    role,
    text,
    call,
    tool,
    args,
  }))

describe('Microsoft Agent Framework messages', () => {
  const call = { path: 'items[1]', type: 'tool_call', role: 'assistant', call: 'c1', tool: 'price' }
  const result = { path: 'items[2]', type: 'tool_result', call: 'c1', text: '812.40 EUR' }

  it('keeps parts under contents, in Python with type', () => {
    const items = shortly([
      {
        type: 'chat_message',
        role: { type: 'role', value: 'user' },
        contents: [{ type: 'text', text: 'How much?' }],
      },
      {
        role: 'assistant',
        contents: [{ type: 'function_call', call_id: 'c1', name: 'price', arguments: '{"sku":7}' }],
      },
      { role: 'tool', contents: [{ type: 'function_result', call_id: 'c1', result: '812.40 EUR' }] },
    ])
    expect(items[0]).toMatchObject({ type: 'message', role: 'user', text: 'How much?' })
    expect(items[1]).toMatchObject({ ...call, args: { sku: 7 } })
    expect(items[2]).toMatchObject(result)
  })

  it('and in .NET with $type', () => {
    const items = readItems([
      { role: 'assistant', authorName: 'sales', contents: [{ $type: 'text', text: 'One moment.' }] },
      {
        role: 'assistant',
        contents: [{ $type: 'functionCall', callId: 'c1', name: 'price', arguments: { sku: 7 } }],
      },
      { role: 'tool', contents: [{ $type: 'functionResult', callId: 'c1', result: '812.40 EUR' }] },
    ])
    expect(items[0]).toMatchObject({ text: 'One moment.', author: 'sales' })
    expect(items[1]).toMatchObject({ ...call, args: { sku: 7 } })
    expect(items[2]).toMatchObject(result)
  })
})

describe('AI SDK 4 messages', () => {
  const invocation = {
    state: 'result',
    toolCallId: 'c1',
    toolName: 'price',
    args: { sku: 7 },
    result: '812.40 EUR',
  }

  it('lists calls with their answers beside the content', () => {
    expect(
      shortly([{ id: 'm2', role: 'assistant', content: '', toolInvocations: [invocation] }]),
    ).toMatchObject([
      { path: 'items[0]', type: 'tool_call', call: 'c1', tool: 'price', args: { sku: 7 } },
      { path: 'items[0].toolInvocations[0].result', type: 'tool_result', call: 'c1', text: '812.40 EUR' },
    ])
  })

  it('one that stands among the parts as well is one call', () => {
    const both = {
      role: 'assistant',
      parts: [{ type: 'tool-invocation', toolInvocation: invocation }],
      toolInvocations: [invocation],
    }
    expect(shortly([both]).map(({ type }) => type)).toEqual(['tool_call', 'tool_result'])
  })

  it('one that waits has no answer yet', () => {
    const waiting = { state: 'call', toolCallId: 'c2', toolName: 'price', args: {} }
    expect(shortly([{ role: 'assistant', content: 'I look.', toolInvocations: [waiting] }])).toMatchObject([
      { type: 'message', text: 'I look.' },
      { path: 'items[0].toolInvocations[0]', type: 'tool_call', call: 'c2' },
    ])
  })
})

describe('a file among the parts', () => {
  it.each([
    [
      'A2A 0.3',
      { kind: 'file', file: { name: 'r.pdf', mimeType: 'application/pdf', bytes: 'JVBERi0xLjQK' } },
      'r.pdf',
    ],
    [
      'A2A 0.3 by address',
      { kind: 'file', file: { uri: 'https://x.example/r.pdf' } },
      'https://x.example/r.pdf',
    ],
    ['the A2A library', { content: { $case: 'raw', value: 'JVBERi0xLjQK' }, filename: 'r.pdf' }, 'r.pdf'],
    ['Bedrock', { document: { format: 'pdf', name: 'r.pdf', source: { bytes: 'JVBERi0xLjQK' } } }, 'r.pdf'],
    ['Bedrock without a name', { image: { format: 'png', source: { bytes: 'iVBORw0KGgo' } } }, ''],
  ])('%s is its name, and its bytes are no words', (_, part, text) => {
    const [message, file] = readItems([{ role: 'user', parts: [{ text: 'Read this' }, part] }])
    expect(message).toMatchObject({ type: 'message', text: 'Read this' })
    expect(file).toMatchObject({ type: 'file', role: 'user', text })
  })
})
