import { type Encoder, type Item, joinLists, written } from './encoder.ts'

/** Microsoft Agent Framework, in Python. */
export const agentFramework: Encoder = {
  authors: true,
  message: ({ role, content, author }) => framework(role, author, { type: 'text', text: content }),
  call: ({ call, tool, args, author }) =>
    framework('assistant', author, {
      type: 'function_call',
      call_id: call,
      name: tool,
      arguments: written(args),
    }),
  result: ({ call, content }) =>
    framework('tool', undefined, { type: 'function_result', call_id: call, result: content }),
  file: ({ role, name }) =>
    framework(role, undefined, { type: 'uri', uri: `https://f.example/${name}`, media_type: 'a/b' }),
  reasoning: ({ content, author }) =>
    framework('assistant', author, { type: 'text_reasoning', text: content }),
  approval: ({ approval, call, tool, args, author }) =>
    framework('assistant', author, {
      type: 'function_approval_request',
      id: approval,
      function_call: { type: 'function_call', call_id: call, name: tool, arguments: written(args) },
    }),
  join: joinLists('contents'),
}

function framework(role: unknown, author: unknown, content: Item): Item {
  return {
    type: 'chat_message',
    role: { type: 'role', value: role },
    contents: [content],
    ...(author === undefined ? {} : { author_name: author }),
  }
}

/** And in .NET. */
export const agentFrameworkNet: Encoder = {
  authors: true,
  message: ({ role, content, author }) => net(role, author, { $type: 'text', text: content }),
  call: ({ call, tool, args, author }) =>
    net('assistant', author, { $type: 'functionCall', callId: call, name: tool, arguments: args }),
  result: ({ call, content }) =>
    net('tool', undefined, { $type: 'functionResult', callId: call, result: content }),
  file: ({ role, name }) =>
    net(role, undefined, { $type: 'uri', uri: `https://f.example/${name}`, mediaType: 'a/b' }),
  reasoning: ({ content, author }) => net('assistant', author, { $type: 'reasoning', text: content }),
  approval: ({ approval, call, tool, args, author }) =>
    net('assistant', author, {
      $type: 'functionApprovalRequest',
      id: approval,
      functionCall: { $type: 'functionCall', callId: call, name: tool, arguments: args },
    }),
  join: joinLists('contents'),
}

function net(role: unknown, authorName: unknown, content: Item): Item {
  return { role, contents: [content], ...(authorName === undefined ? {} : { authorName }) }
}

/** Semantic Kernel as .NET writes it when nobody tells it otherwise. */
export const semanticKernel: Encoder = {
  authors: true,
  message: ({ role, content, author }) => kernel(role, author, { $type: 'TextContent', Text: content }),
  call: ({ call, tool, args, author }) =>
    kernel('assistant', author, {
      $type: 'FunctionCallContent',
      Id: call,
      FunctionName: tool,
      Arguments: args,
    }),
  result: ({ call, tool, content }) =>
    kernel('tool', undefined, {
      $type: 'FunctionResultContent',
      CallId: call,
      FunctionName: tool,
      Result: content,
    }),
  join: joinLists('Items'),
}

function kernel(role: unknown, AuthorName: unknown, item: Item): Item {
  return { Role: { Label: role }, Items: [item], ...(AuthorName === undefined ? {} : { AuthorName }) }
}

/** And in Python. */
export const semanticKernelPython: Encoder = {
  authors: true,
  message: ({ role, content, author }) => python(role, author, { content_type: 'text', text: content }),
  call: ({ call, tool, args, author }) =>
    python('assistant', author, {
      content_type: 'function_call',
      id: call,
      name: tool,
      function_name: tool,
      arguments: written(args),
    }),
  result: ({ call, tool, content }) =>
    python('tool', undefined, {
      content_type: 'function_result',
      id: call,
      name: tool,
      function_name: tool,
      result: content,
    }),
  join: joinLists('items'),
}

function python(role: unknown, name: unknown, item: Item): Item {
  return {
    content_type: 'message',
    metadata: {},
    role,
    items: [item],
    ...(name === undefined ? {} : { name }),
  }
}
