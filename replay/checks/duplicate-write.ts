import { canonicalJson } from '../../model/hash.ts'
import { textOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import type { RunEvent } from '../../model/run-log.ts'
import type { Check } from '../check.ts'
import { groupBy } from '../facts/dispatches.ts'
import { withoutGenerated } from '../facts/generated.ts'
import { stepsOf } from '../facts/steps-by-kind.ts'
import type { Draft } from '../finding.ts'
import { listed, quote } from '../phrase.ts'
import type { Run, Step } from '../run.ts'

// Two agents may well write the same short status; the same long text is one text stored twice.
const SHORTEST = 12
const CONTENT = [
  ...['content', 'value', 'message', 'item', 'items', 'messages', 'history', 'data', 'body', 'text', 'note'],
  ...['entry', 'record', 'result', 'output', 'payload', 'state'],
]
// What a short value has to share as well before it is one thing stored twice.
const SLOT = ['key', 'id', 'message_id', 'item_id', 'name', 'op', 'call']
// Said by anybody at any time.
const COMMON =
  /^\W*(ok|okay|yes|no|done|true|false|null|none|start(ed)?|running|pending|completed?|failed|[\d.]*)\W*$/iu
const DIGEST = ['content_hash', 'sha256', 'sha', 'hash', 'digest']
const PLACE = [
  'store',
  'collection',
  'table',
  'thread',
  'session',
  'conversation',
  'path',
  'bucket',
  'target',
]

export const duplicateWrite: Check = {
  id: 'duplicate-write',
  severity: 'warning',
  title: 'The same content was stored twice, by two writers',
  question: 'Is each thing stored by one writer?',
  definition:
    'Raised when two store.write entries of different writers (agents, or processes of one agent) hold the same content ' +
    'for the same store. Ids and times in the content are left out; a short value counts only under the same id or key, if ' +
    'it has one, and a word such as ok never; writes marked as an upsert are not judged.',
  judgesByWords: true,
  check({ run }) {
    return { findings: duplicates(run) }
  },
}

type Write = {
  step: Step
  agent?: string | undefined
  writer: string
  place: string
  content: string
  shown: string
}

function duplicates(run: Run): Draft[] {
  const writes = stepsOf(run, 'store.write').flatMap((step) => readWrite(run.events[step]!, step) ?? [])
  const groups = groupBy(writes, ({ place, content }) => `${place}\u0000${content}`)
  return [...groups.values()].flatMap((group) => {
    const writers = [...new Set(group.map(({ writer }) => writer))]
    if (writers.length < 2) return []
    const { place, shown } = group[0]!
    return [
      {
        agents: [...new Set(group.flatMap(({ agent }) => agent ?? []))],
        subject: { kind: 'item', id: place || 'store' },
        message:
          `${listed(writers)} each stored the same content ${quote(shown)}${place === '' ? '' : ` in ${place}`}. ` +
          'Whoever reads it back finds it twice, and takes one event for two.',
        evidence: group.map(({ step }) => ({ step })),
        remedy: 'Let one of them own the store, or write under an id that both derive from the content.',
        trait: place,
      },
    ]
  })
}

function readWrite(event: RunEvent, step: Step): Write | undefined {
  if (event.upsert === true || event.idempotent === true || event.state === 'failed') return undefined
  const agent = textOf(event.by) ?? textOf(event.agent)
  const names = [agent, textOf(event.process) ?? textOf(event.writer)]
  const writer = names.filter((name) => name !== undefined).join(' in ')
  if (writer === '') return undefined
  const values = CONTENT.map((field) => event[field]).filter((one) => one !== undefined && one !== null)
  // A short value beside the content is an id or a name.
  const value = values.find((one) => plainOf(one).length >= SHORTEST) ?? values[0]
  const digest = DIGEST.map((field) => textOf(event[field])).find((one) => one !== undefined)
  const content = digest ?? (value === undefined ? undefined : shortOrWhole(event, plainOf(value)))
  if (content === undefined) return undefined
  const place = PLACE.map((field) => textOf(event[field])).find((one) => one !== undefined) ?? ''
  const shown = value === undefined ? content : typeof value === 'string' ? value : jsonString(value)
  return { step, agent, writer, place, content, shown }
}

/** The content by which two writes are compared: a short one together with its slot; undefined if it tells nothing. */
function shortOrWhole(event: RunEvent, plain: string): string | undefined {
  if (plain.length >= SHORTEST) return plain
  const slot = SLOT.map((field) => textOf(event[field])).find((one) => one !== undefined)
  if (slot === undefined && COMMON.test(plain)) return undefined
  return `${slot ?? ''}\u0000${plain}`
}

function plainOf(value: unknown): string {
  return canonicalJson(withoutGenerated(value))
}
