import { callForm, type Form, withOwnResult } from './item-calls.ts'
import { mediaName } from './item-text.ts'
import { isObject, listOf, textOf } from './json.ts'

/** What stands beside the content of a message: calls, answers, files. */

type Fields = Record<string, unknown>

const NO_FORMS: Form[] = []

/** Calls listed beside the content. LangChain keeps a provider's calls in both places; each is one call. */
export function listedCalls(item: Fields, role: string | undefined, inContent: readonly Form[]): Form[] {
  const extra = isObject(item.additional_kwargs) ? item.additional_kwargs.tool_calls : undefined
  const list = Array.isArray(item.toolCalls) ? 'toolCalls' : 'tool_calls'
  const own = listOf(item[list])
  const calls = own.length > 0 ? own : listOf(extra)
  const single = isObject(item.function_call) ? item.function_call : undefined
  const invocations = listOf(item.toolInvocations)
  if (calls.length === 0 && single === undefined && invocations.length === 0) return NO_FORMS
  const known = new Set(inContent.flatMap(({ call }) => call ?? []))
  const forms = calls.flatMap((call, index) =>
    isObject(call) ? { ...callForm(flattened(call), role, true), at: `${list}[${index}]` } : [],
  )
  // The form before tool calls: one function, which has no id.
  const old = single === undefined ? [] : [{ ...callForm(single, role), at: 'function_call' }]
  const listed = [...forms, ...invocationForms(invocations, role)]
  return [...listed.filter(({ call }) => call === undefined || !known.has(call)), ...old]
}

/** AI SDK 4 lists a message's calls, each with its answer, beside the content. */
function invocationForms(invocations: readonly unknown[], role: string | undefined): Form[] {
  return invocations.flatMap((invocation, index) => {
    if (!isObject(invocation)) return []
    const at = `toolInvocations[${index}]`
    const forms = withOwnResult(callForm(invocation, role), invocation.result)
    return forms.map((form) => ({ ...form, at: form.at === undefined ? at : `${at}.result` }))
  })
}

function flattened(call: Fields): Fields {
  const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : undefined
  return inner === undefined ? call : { ...inner, id: call.id }
}

/**
 * Where a message lists the answers of several calls: AG2 in `tool_responses`, Agno in the field for calls. Its content is
 * then nothing but their texts in a row.
 */
export function answersList(item: Fields): 'tool_responses' | 'tool_calls' | undefined {
  if (listOf(item.tool_responses).length > 0) return 'tool_responses'
  const listed = listOf(item.tool_calls)
  return listed.length > 0 && listed.every(isAnswer) ? 'tool_calls' : undefined
}

function isAnswer(entry: unknown): boolean {
  return isObject(entry) && 'content' in entry && entry.function === undefined && 'tool_name' in entry
}

// AI SDK before parts, Agno, Ollama.
const FILE_LISTS = [
  ...['attachments', 'files', 'experimental_attachments'],
  ...['images', 'audio', 'audios', 'videos'],
]

const NO_FILES: { file: Fields; at: string }[] = []

/** Files listed beside the content, with the place of each. Ollama lists the bytes themselves. */
export function listedFiles(item: Fields): readonly { file: Fields; at: string }[] {
  if (!FILE_LISTS.some((list) => Array.isArray(item[list]))) return NO_FILES
  return FILE_LISTS.flatMap((list) =>
    listOf(item[list]).flatMap((entry, index) => {
      const file = typeof entry === 'string' && list === 'images' ? { data: entry } : entry
      return isObject(file) ? { file, at: `${list}[${index}]` } : []
    }),
  )
}

export function listedFileForms(item: Fields, role: string | undefined): Form[] {
  return listedFiles(item).map(({ file, at }) => ({
    type: 'file',
    role,
    text: mediaName({ ...file, type: 'file' }) || (textOf(file.filepath) ?? ''),
    from: file,
    at,
  }))
}
