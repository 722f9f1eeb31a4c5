import type { Message, Part } from '@a2a-js/sdk'
import { isObject, type JsonObject, listOf, textOf } from '../../model/json.ts'
import type { Handoff } from '../handoff.ts'
import { fieldOf, storableFields } from '../storable.ts'
import { checkVersion } from './shared-version.ts'

/** The field of a message's metadata that holds the envelope: `{handspan-handoff, traceparent, tracestate, record}`. */
export const HANDSPAN_EXTENSION = 'urn:handspan:a2a:handoff:1'

export function checkA2A(): void {
  checkVersion('@a2a-js/sdk', /^1\.3\./, 'tested with 1.3')
}

/** The same message with the envelope in its metadata. The one that was given stays as it is: it may be sent again. */
export function withEnvelope(message: Message, handoff: Handoff, record: boolean): Message {
  const envelope = { ...handoff.carrier, ...(record ? { record: storableFields(handoff.record) } : {}) }
  if (Object.keys(envelope).length === 0) return message
  return { ...message, metadata: { ...message.metadata, [HANDSPAN_EXTENSION]: envelope } }
}

/** The envelope of a message; undefined if it has none. A claim of the sender. */
export function envelopeOf(message: unknown): object | undefined {
  const found = fieldOf(fieldOf(message, 'metadata'), HANDSPAN_EXTENSION)
  return isObject(found) ? found : undefined
}

/** A message as the protocol writes it, without the envelope: empty fields are left out, roles are words. */
export function messageItem(message: Message): JsonObject {
  const { [HANDSPAN_EXTENSION]: envelope, ...metadata } = message.metadata ?? {}
  // Where nothing but the envelope was in it, there was no metadata before.
  const kept = envelope === undefined ? message.metadata : emptyAsNone(metadata)
  return storableFields({
    ...filled({ messageId: message.messageId, contextId: message.contextId, taskId: message.taskId }),
    role: ROLES[message.role],
    parts: message.parts.map(partItem),
    metadata: kept,
    ...filled({ extensions: message.extensions, referenceTaskIds: message.referenceTaskIds }),
  })
}

const ROLES: Record<number, string> = { 1: 'ROLE_USER', 2: 'ROLE_AGENT' }

function partItem({ content, metadata, filename, mediaType }: Part): unknown {
  const value = content?.$case === 'raw' ? Buffer.from(content.value).toString('base64') : content?.value
  return {
    ...(content === undefined ? {} : { [content.$case]: value }),
    metadata,
    ...filled({ filename, mediaType }),
  }
}

/** Parts as they are written in a message. */
export function partItems(parts: readonly Part[]): unknown[] {
  return parts.map(partItem)
}

function filled(fields: Record<string, string | readonly string[] | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value.length > 0),
  ) as JsonObject
}

function emptyAsNone(fields: object): object | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** What an answer or a published event says of the task. */
export type Report = {
  task?: string | undefined
  context?: string | undefined
  /** `completed`, `input_required` …; none for a bare message or an artifact. */
  state?: string | undefined
  /** Words of the agent: the message itself, or the one beside the state. */
  message?: Message | undefined
  artifacts: readonly Artifact[]
}

/** A result of the task, whole or one part more of it. */
export type Artifact = { id: string; parts: Part[]; append: boolean }

const STATES = [
  undefined,
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input_required',
  'rejected',
  'auth_required',
]

/** States after which nothing more comes. */
export const FINAL = new Set(['completed', 'failed', 'canceled', 'rejected'])

/** Reads a task, a message, an event of a stream or one that an executor publishes. */
export function readReport(value: unknown): Report {
  const payload = fieldOf(value, 'payload')
  if (isObject(payload)) return readReport(payload.value)
  const kind = textOf(fieldOf(value, 'kind'))
  if (kind !== undefined) return readReport(fieldOf(value, 'data'))
  if (typeof fieldOf(value, 'messageId') === 'string') {
    const message = value as Message
    const { taskId, contextId } = message
    return { task: taskId || undefined, context: contextId || undefined, message, artifacts: [] }
  }
  const append = fieldOf(value, 'append') === true
  const artifacts = [...listOf(fieldOf(value, 'artifacts')), fieldOf(value, 'artifact')].filter(isObject)
  const status = fieldOf(value, 'status')
  return {
    task: textOf(fieldOf(value, 'taskId')) ?? textOf(fieldOf(value, 'id')),
    context: textOf(fieldOf(value, 'contextId')),
    state: STATES[Number(fieldOf(status, 'state'))],
    message: fieldOf(status, 'message') as Message | undefined,
    artifacts: artifacts.map((artifact) => ({
      id: textOf(fieldOf(artifact, 'artifactId')) ?? '',
      parts: listOf(fieldOf(artifact, 'parts')) as Part[],
      append,
    })),
  }
}

/** The fields of a `task.state` event. */
export function stateFields(report: Omit<Report, 'artifacts'>, handoff: string): Record<string, unknown> {
  return {
    handoff,
    ...filled({ id: report.task, context: report.context, state: report.state }),
    ...(report.message === undefined ? {} : { message: messageItem(report.message) }),
  }
}
