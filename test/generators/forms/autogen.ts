import { type Encoder, type Item, joinLists, written } from './encoder.ts'
import { joinCalls } from './openai.ts'

/** What AutoGen's core keeps for a model. */
export const autogenCore: Encoder = {
  authors: true,
  message: ({ role, content, author }) =>
    role === 'system'
      ? { type: 'SystemMessage', content }
      : role === 'user'
        ? { type: 'UserMessage', content, source: 'user' }
        : { type: 'AssistantMessage', content, thought: null, source: author },
  call: ({ call, tool, args, author }) => ({
    type: 'AssistantMessage',
    content: [{ id: call, name: tool, arguments: written(args) }],
    thought: null,
    source: author,
  }),
  result: ({ call, tool, content }) => ({
    type: 'FunctionExecutionResultMessage',
    content: [{ call_id: call, name: tool, content, is_error: false }],
  }),
  reasoning: ({ content, author }) => ({
    type: 'AssistantMessage',
    content: '',
    thought: content,
    source: author,
  }),
  join: (first, second) => (first.type === second.type ? joinLists('content')!(first, second) : undefined),
}

/** What its teams say. */
export const autogenTeams: Encoder = {
  authors: true,
  message: ({ role, content, author }) => ({
    type: 'TextMessage',
    content,
    source: role === 'user' ? 'user' : author,
    models_usage: null,
    metadata: {},
  }),
  call: ({ call, tool, args, author }) => ({
    type: 'ToolCallRequestEvent',
    content: [{ id: call, name: tool, arguments: written(args) }],
    source: author,
  }),
  result: ({ call, tool, content, author = 'tools' }) => ({
    type: 'ToolCallExecutionEvent',
    content: [{ call_id: call, name: tool, content, is_error: false }],
    source: author,
  }),
  reasoning: ({ content, author }) => ({ type: 'ThoughtEvent', content, source: author }),
  join: (first, second) => (first.type === second.type ? joinLists('content')!(first, second) : undefined),
}

/** What agents of AG2 tell each other: several answers are one message. */
export const ag2: Encoder = {
  authors: true,
  message: ({ role, content, author }) => named(author, { role, content }),
  call: ({ call, tool, args, author }) =>
    named(author, {
      ...{ role: 'assistant', content: '' },
      tool_calls: [{ id: call, type: 'function', function: { name: tool, arguments: written(args) } }],
    }),
  result: ({ call, content }) => ({
    ...{ role: 'tool', name: 'executor', content },
    tool_responses: [{ tool_call_id: call, role: 'tool', content }],
  }),
  join: (first, second) => joinAnswers(first, second) ?? joinCalls('tool_calls')!(first, second),
}

function named(name: unknown, message: Item): Item {
  return name === undefined ? message : { ...message, name }
}

function joinAnswers(first: Item, second: Item): Item | undefined {
  const both = joinLists('tool_responses')!(first, second)
  return both === undefined ? undefined : { ...both, content: `${first.content}\n\n${second.content}` }
}
