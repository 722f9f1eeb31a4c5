import { BYTES, type Encoder, type Item, joinLists } from './encoder.ts'

export const gemini: Encoder = {
  message: ({ role, content }) => ({ role: roleOf(role), parts: [{ text: content }] }),
  call: ({ call, tool, args }) => ({
    role: 'model',
    parts: [{ functionCall: { id: call, name: tool, args } }],
  }),
  result: ({ call, tool, content }) => ({
    role: 'user',
    parts: [{ functionResponse: { id: call, name: tool, response: { result: content } } }],
  }),
  file: ({ role, name }) => ({
    role,
    parts: [{ inlineData: { mimeType: 'application/pdf', displayName: name, data: BYTES } }],
  }),
  reasoning: ({ content }) => ({ role: 'model', parts: [{ text: content, thought: true }] }),
  join: joinLists('parts'),
}

/** Its own API gives calls no ids. */
export const geminiWithoutIds: Encoder = {
  ...gemini,
  nameless: true,
  call: ({ call: _, ...item }) => gemini.call(item),
  result: ({ call: _, ...item }) => gemini.result(item),
}

const roleOf = (role: unknown) => (role === 'assistant' ? 'model' : role)

/** Events of Google's agent kit: the content, and who wrote it. */
export const adk: Encoder = {
  authors: true,
  message: (item) => event(item, gemini.message(item)),
  call: (item) => event(item, gemini.call(item)),
  result: (item) => event(item, gemini.result(item)),
  file: (item) => event({ ...item, author: 'user' }, gemini.file!(item)),
  reasoning: (item) => event(item, gemini.reasoning!(item)),
}

function event({ author, role }: Item, content: Item): Item {
  return { ...(author === undefined && role !== 'user' ? {} : { author: author ?? 'user' }), content }
}
