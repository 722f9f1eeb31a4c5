import type { Item } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { isAttachment } from './plumbing.ts'

/** A file, image or recording: an item of its own, or a part of a message. */
export type Attachment = { item: Item; name: string; identity: string }

const PART = /^(input_)?(file|image|image_url|audio|video|document|media|attachment)$/iu
const IDENTITIES = [
  'sha',
  'sha256',
  'hash',
  'digest',
  'file_id',
  'fileId',
  'uri',
  'fileUri',
  'url',
  'image_url',
  'path',
]

/** The attachments among items, in order. */
export function attachmentsOf(items: readonly Item[]): Attachment[] {
  const seen = new Set<unknown>()
  return items.flatMap((item) => {
    if (seen.has(item.raw) || !isObject(item.raw)) return []
    seen.add(item.raw)
    if (isAttachment(item)) return attachment(item, item.raw)
    if (typeof item.raw.content === 'string' && !item.raw.attachments && !item.raw.files) return []
    const parts = [item.raw.content, item.raw.parts, item.raw.attachments, item.raw.files]
    return parts
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .flatMap((part) => {
        if (!isObject(part)) return []
        const isPart =
          PART.test(textOf(part.type) ?? '') || isObject(part.inlineData) || isObject(part.fileData)
        return isPart ? attachment(item, part) : []
      })
  })
}

function attachment(item: Item, raw: Record<string, unknown>): Attachment[] {
  const identity = deepIdentity(raw)
  const name =
    textOf(raw.name) ?? textOf(raw.filename) ?? textOf(raw.file_name) ?? item.id ?? textOf(raw.type)
  // Without anything to know it by, nothing can be said of where it went.
  return identity === undefined ? [] : [{ item, name: name ?? 'an attachment', identity }]
}

/** What stays the same wherever the file goes: its hash or address, else its content, else its name. */
function deepIdentity(raw: Record<string, unknown>): string | undefined {
  const inner = [
    raw,
    raw.file,
    raw.source,
    raw.image_url,
    raw.inlineData,
    raw.fileData,
    raw.input_audio,
  ].filter(isObject)
  for (const field of [...IDENTITIES, 'data', 'filename', 'file_name', 'name']) {
    for (const fields of inner) {
      const value = textOf(fields[field])
      if (value !== undefined) return value
    }
  }
  return undefined
}
