import { BYTES, type Encoder, type Item, written } from './encoder.ts'
import { joinCalls } from './openai.ts'

/** Messages of Agno: files stand beside the content. */
export const agno: Encoder = {
  message: ({ id, role, content }) => ({ id, content, ...KEPT, role }),
  call: ({ id, call, tool, args }) => ({
    ...{ id, ...KEPT, role: 'assistant' },
    tool_calls: [{ id: call, type: 'function', function: { name: tool, arguments: written(args) } }],
  }),
  result: ({ id, call, tool, content }) => ({
    ...{ id, content, ...KEPT, role: 'tool', tool_call_id: call, tool_name: tool, tool_call_error: false },
  }),
  file: ({ id, role, name }) => ({
    ...{ id, content: '', ...KEPT, role },
    files: [{ id: `file-${name}`, filename: name, mime_type: 'application/pdf', content: BYTES }],
  }),
  join: (first, second) => joinFiles(first, second) ?? joinCalls('tool_calls')!(first, second),
}

const KEPT = { from_history: false, stop_after_tool_call: false, created_at: 1_767_261_600 }

function joinFiles(first: Item, second: Item): Item | undefined {
  if (!Array.isArray(second.files) || first.role !== second.role) return undefined
  return { ...first, files: [...((first.files as Item[]) ?? []), ...second.files] }
}
