import { isObject, textOf } from './json.ts'
import { jsonText } from './json-text.ts'

// Content nests a few levels in any real runtime; below this it is shown as JSON.
const DEEPEST = 32

const TEXT_FIELDS = ['text', 'content', 'value', 'thinking', 'reasoning', 'refusal', 'transcript', 'reason']

// What may stand beside the text of a part without being read by a model. An object with any other field is data.
const BESIDE_TEXT = new Set([
  ...[
    'type',
    'kind',
    'id',
    'index',
    'status',
    'state',
    '$case',
    '$type',
    'annotations',
    'citations',
    'logprobs',
  ],
  ...['signature', 'thought', 'thoughtSignature', 'encrypted_content', 'cache_control', 'cacheControl'],
  ...['providerOptions', 'providerMetadata', 'providerData', 'providerExecuted', 'metadata', 'extras'],
  ...['promptCacheBreakpoint', 'format', 'is_error', 'isError', 'mediaType'],
])

const TEXT_PARTS = new Set(['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text'])

/** The text in any content: strings as they are, parts by their text, other JSON written compactly. */
export function textOfValue(value: unknown, depth = 0): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (depth === DEEPEST) return jsonText(value) ?? ''
  if (Array.isArray(value)) return joinTexts(value.map((part) => textOfValue(part, depth + 1)))
  if (!isObject(value)) return jsonText(value) ?? ''
  // Whatever a kit writes beside it: ids, times, marks for a cache.
  if (TEXT_PARTS.has(textOf(value.type) ?? '') && typeof value.text === 'string') return value.text
  const media = mediaName(value)
  if (media !== undefined) return media
  // AI SDK 5 and later: what a tool gave back, `{type: 'json', value}`.
  if (value.type === 'json' || value.type === 'error-json') return valueText(value.value)
  const field = TEXT_FIELDS.find((name) => value[name] !== undefined && value[name] !== null)
  if (field === undefined || !isTextPart(value, field)) return jsonText(value) ?? ''
  return textOfValue(value[field], depth + 1)
}

/** Joins the texts that say something. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (jsonText(value) ?? '')
}

function isTextPart(part: Record<string, unknown>, field: string): boolean {
  return Object.keys(part).every((name) => name === field || BESIDE_TEXT.has(name))
}

const MEDIA =
  /^(input_|output_|computer_|hosted_?)?(image|file|audio|video|document|media|screenshot|binary)([_-](url|data|id|file-id))?(Block)?$|^resource(_link)?$/iu
const NAMED_MEDIA = ['image', 'document', 'video', 'file']
const GEMINI_MEDIA = ['inlineData', 'inline_data', 'fileData', 'file_data']

/**
 * What a model can read of an image, file or recording that is no text: its name or address, or nothing. Undefined for
 * anything else. The bytes themselves are no words: a key is not looked for in base64.
 */
export function mediaName(part: Record<string, unknown>): string | undefined {
  const held = GEMINI_MEDIA.map((field) => part[field]).find(isObject) ?? namedByField(part)
  const word = textOf(part.type) ?? textOf(part.kind) ?? textOf(part.$type) ?? ''
  if (held === undefined && !isA2AFile(part) && !isAddress(part, word) && !MEDIA.test(word)) return undefined
  const fields = held ?? part
  const inner = [
    fields,
    fields.file,
    fields.source,
    fields.image,
    fields.image_url,
    fields.audio,
    fields.input_audio,
    fields.resource,
  ]
  const holders = inner.filter(isObject)
  const text = holders.map((holder) => (holder.type === 'text' ? textOf(holder.data) : undefined))
  // An MCP resource that is text is read by the model.
  if (isObject(fields.resource)) text.push(textOf(fields.resource.text))
  const names = [
    'filename',
    'name',
    'title',
    'displayName',
    'fileUri',
    'file_uri',
    'uri',
    'file_id',
    'fileId',
    'url',
    'file_url',
    'identifier',
  ]
  const named = names.flatMap((name) => holders.map((holder) => address(holder[name])))
  const bare = [
    address(fields.image),
    address(fields.image_url),
    address(fields.file),
    address(fields.content),
  ]
  const transcript = holders.map((holder) => textOf(holder.transcript))
  return [...text, ...transcript, ...named, ...bare].find((found) => found !== undefined) ?? ''
}

/** Bedrock and Haystack name the kind of media by the field: `{image: {format, source}}`, `{file: {base64_data}}`. */
function namedByField(part: Record<string, unknown>): Record<string, unknown> | undefined {
  if (part.type !== undefined || part.kind !== undefined) return undefined
  const held = NAMED_MEDIA.map((field) => part[field]).find(isObject)
  return held !== undefined &&
    (isObject(held.source) || typeof held.base64_data === 'string' || typeof held.base64_image === 'string')
    ? held
    : undefined
}

/** Microsoft Agent Framework: bytes are an address as well, and a type of media stands beside it. */
function isAddress({ uri, media_type, mediaType }: Record<string, unknown>, word: string): boolean {
  const isContent = word === 'uri' || word === 'data'
  return (
    isContent &&
    typeof uri === 'string' &&
    (uri.startsWith('data:') || textOf(media_type ?? mediaType) !== undefined)
  )
}

/** A part as A2A writes it has no type: bytes or an address, and what they are. Its library holds both in `content`. */
function isA2AFile({ raw, url, mediaType, filename, content }: Record<string, unknown>): boolean {
  const { $case } = isObject(content) ? content : {}
  const file = $case === 'raw' || $case === 'url' ? $case : (textOf(raw) ?? textOf(url))
  return file !== undefined && (textOf(mediaType) ?? textOf(filename)) !== undefined
}

/** A name or an address; not the data itself. */
function address(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined || text.startsWith('data:') || text.length > 2048 ? undefined : text
}
