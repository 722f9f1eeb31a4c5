/*
 * Plain items as the message formats of providers and frameworks write them. What is neither message, call nor result stays
 * as it is: runtimes keep such items beside the provider's own.
 */

export type Item = Record<string, unknown>
export type ItemForm = 'plain' | 'openai' | 'chat' | 'anthropic' | 'gemini' | 'ai-sdk'

export const FORMS: readonly ItemForm[] = ['plain', 'openai', 'chat', 'anthropic', 'gemini', 'ai-sdk']

export function inForm(item: Item, form: ItemForm): Item {
  switch (item.type) {
    case 'message':
      return messageIn(item, form)
    case 'tool_call':
      return callIn(item, form)
    case 'tool_result':
      return resultIn(item, form)
    default:
      return item
  }
}

function messageIn(item: Item, form: ItemForm): Item {
  const { role, content } = item
  switch (form) {
    case 'plain':
      return item
    case 'anthropic':
      return { role, content: [{ type: 'text', text: content }] }
    case 'gemini':
      return { role: role === 'assistant' ? 'model' : role, parts: [{ text: content }] }
    default:
      return { role, content }
  }
}

function callIn(item: Item, form: ItemForm): Item {
  const { call: id, tool: name, args } = item
  const text = JSON.stringify(args)
  switch (form) {
    case 'plain':
      return item
    case 'openai':
      return { type: 'function_call', call_id: id, name, arguments: text }
    case 'chat':
      return {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
      }
    case 'anthropic':
      return { role: 'assistant', content: [{ type: 'tool_use', id, name, input: args }] }
    case 'gemini':
      return { role: 'model', parts: [{ functionCall: { id, name, args } }] }
    case 'ai-sdk':
      return {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: id, toolName: name, input: args }],
      }
  }
}

function resultIn(item: Item, form: ItemForm): Item {
  const { call: id, tool: name, content } = item
  switch (form) {
    case 'plain':
      return item
    case 'openai':
      return { type: 'function_call_output', call_id: id, output: content }
    case 'chat':
      return { role: 'tool', tool_call_id: id, content }
    case 'anthropic':
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }
    case 'gemini':
      return { role: 'user', parts: [{ functionResponse: { id, name, response: { result: content } } }] }
    case 'ai-sdk':
      return {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: content } },
        ],
      }
  }
}
