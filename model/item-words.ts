/*
 * The words by which runtimes tell roles, calls and results apart: plain items, OpenAI Responses (wire and SDK spelling),
 * chat completions, LangChain, Anthropic, Bedrock, Gemini, AI SDK, A2A, Microsoft Agent Framework. Kits whose messages are
 * built otherwise are in `item-kits.ts` and beside it.
 */

const ROLES = new Map(
  Object.entries({
    user: 'user',
    human: 'user',
    HumanMessage: 'user',
    HumanMessageChunk: 'user',
    ROLE_USER: 'user',
    assistant: 'assistant',
    ai: 'assistant',
    model: 'assistant',
    agent: 'assistant',
    AIMessage: 'assistant',
    AIMessageChunk: 'assistant',
    ROLE_AGENT: 'assistant',
    system: 'system',
    SystemMessage: 'system',
    SystemMessageChunk: 'system',
    developer: 'developer',
    tool: 'tool',
    'tool-call': 'assistant',
    'tool-response': 'tool',
    function: 'tool',
    ToolMessage: 'tool',
    ToolMessageChunk: 'tool',
    FunctionMessage: 'tool',
  }),
)

const CALLS = new Set([
  'tool_call',
  'tool-call',
  'tool_use',
  'toolUseBlock',
  'function_call',
  'functionCall',
  'custom_tool_call',
  'server_tool_call',
  'server_tool_use',
  'mcp_call',
  'mcp_tool_use',
  'computer_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
])

const RESULTS = new Set([
  'tool_result',
  'tool-result',
  'tool-error',
  'toolResultBlock',
  'function_call_output',
  'function_call_result',
  'function_result',
  'functionResult',
  'tool_call_output',
  'tool_call_response',
  'tool_return',
  'custom_tool_call_output',
  'server_tool_call_response',
  'computer_call_output',
  'computer_call_result',
  'shell_call_output',
  'local_shell_call_output',
  'apply_patch_call_output',
])

/** The standard role that a runtime's word stands for; undefined if it is no word for a role. */
export function roleWord(word: string | undefined): string | undefined {
  return word === undefined ? undefined : ROLES.get(word)
}

/** True for a type that asks a tool to do something. */
export function isCallType(type: string | undefined): boolean {
  return type !== undefined && CALLS.has(type)
}

/** True for a type that answers a call. Anthropic names one for each hosted tool: `web_search_tool_result`. */
export function isResultType(type: string | undefined): boolean {
  return type !== undefined && (RESULTS.has(type) || type.endsWith('_tool_result'))
}

/** True for the types in which the `id` of the block is the call's id, and not an id of the item. */
export function namesCallById(type: string | undefined): boolean {
  return (
    type !== undefined && /^(server_|mcp_)?tool_use$|^mcp_call$|^(server_)?tool_call(_response)?$/u.test(type)
  )
}
