import type { Rewritten } from './item-rewritten.ts'
import { isObject, listOf } from './json.ts'

/** CopilotKit: a call is a message that is named by its id, and its answer one that names it. */

type Fields = Record<string, unknown>

// As they go over the wire, the kind of a message is the field that it stands in.
const WIRE = ['textMessage', 'actionExecutionMessage', 'resultMessage', 'imageMessage', 'agentStateMessage']

export function ofCopilotWire(raw: Fields): Rewritten[] | undefined {
  const field = WIRE.find((name) => isObject(raw[name]))
  if (field === undefined) return undefined
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}`
  return ofCopilotKit({ ...(raw[field] as Fields), id: raw.id }, type)
}

export function ofCopilotKit(raw: Fields, type: string): Rewritten[] | undefined {
  const { id, role } = raw
  switch (type.replace(/(Out|In)put$/u, '')) {
    case 'TextMessage':
      return typeof role === 'string' ? [{ item: { id, role, content: whole(raw.content) } }] : undefined
    case 'ActionExecutionMessage':
      return [{ item: { type: 'tool_call', call: id, tool: raw.name, args: whole(raw.arguments) } }]
    case 'ResultMessage': {
      const { actionExecutionId: call, actionName: tool, result } = raw
      return call === undefined ? undefined : [{ item: { type: 'tool_result', call, tool, content: result } }]
    }
    case 'ImageMessage':
      return [{ item: { id, role, content: [{ type: 'image', data: raw.bytes, format: raw.format }] } }]
    // The state of an agent is shown to people, and left out of what a model gets.
    case 'AgentStateMessage':
      return [{ item: { type: 'agent_state' } }]
    default:
      return undefined
  }
}

/** A text that was streamed is a list of its pieces. */
function whole(text: unknown): unknown {
  return Array.isArray(text) ? listOf(text).join('') : text
}
