import { listedFiles } from '../../model/item-beside.ts'
import type { Item } from '../../model/items.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import { isAttachment } from './plumbing.ts'

/** A file, image or recording: an item of its own, or a part of a message. */
export type Attachment = {
  item: Item
  name: string
  /** What people call it, if it has such a name. */
  called?: string | undefined
  identity: string
  /** What it is known by. */
  by: 'hash' | 'id' | 'address' | 'content' | 'name'
}

const PART = /^(input_)?(file|image|image_url|audio|video|document|media|attachment)$/iu
const PART_LISTS = ['content', 'parts', 'contents']
const NO_PARTS: Record<string, unknown>[] = []
/** Fields in which runtimes put the file of a part: Gemini, Bedrock, A2A, OpenAI. */
const HOLDERS = [
  ...['inlineData', 'inline_data', 'fileData', 'file_data', 'file', 'image_url', 'input_audio'],
  ...['image', 'document', 'video', 'audio'],
]
const CONTENTS = ['data', 'raw', 'bytes', 'value']
const NAMES = ['filename', 'file_name', 'name', 'displayName', 'display_name', 'title']
/** What stays the same wherever a file goes: its hash or address, else its content, else its name. */
const IDENTITIES: [field: string, by: Attachment['by']][] = [
  ...['sha', 'sha256', 'hash', 'digest'].map((field): [string, 'hash'] => [field, 'hash']),
  ...['file_id', 'fileId'].map((field): [string, 'id'] => [field, 'id']),
  ...['uri', 'fileUri', 'file_uri', 'url', 'image_url', 'path', 'filepath'].map(
    (field): [string, 'address'] => [field, 'address'],
  ),
  ...CONTENTS.map((field): [string, 'content'] => [field, 'content']),
  ...NAMES.map((field): [string, 'name'] => [field, 'name']),
  // Agno; in other forms the words of a file that has a name.
  ['content', 'content'],
]

/** The attachments among items, in order. */
export function attachmentsOf(items: readonly Item[]): Attachment[] {
  const seen = new Set<unknown>()
  // Entries with the files in lists of their own; in any other form a file is the item that was read of it.
  const listing = new Set<unknown>()
  return items.flatMap((item) => {
    const isRead = item.type === 'file' && isObject(item.part) && !listing.has(item.raw)
    if (isRead && isObject(item.part)) return attachment(item, item.part)
    if (seen.has(item.raw) || !isObject(item.raw)) return []
    seen.add(item.raw)
    if (isAttachment(item)) return attachment(item, item.raw)
    const { raw } = item
    const files = [...partsOf(raw).filter(isFilePart), ...listedFiles(raw).map(({ file }) => file)]
    if (files.length > 0) listing.add(raw)
    return files.flatMap((part) => attachment(item, part))
  })
}

/** Of most items none: they have words alone. */
function partsOf(raw: Record<string, unknown>): readonly Record<string, unknown>[] {
  if (!PART_LISTS.some((field) => Array.isArray(raw[field]))) return NO_PARTS
  return PART_LISTS.flatMap((field) => listOf(raw[field])).filter(isObject)
}

/** Told by its word, by the field that holds the file, or, in A2A 1.0, by an address or bytes in the place of the text. */
function isFilePart(part: Record<string, unknown>): boolean {
  if (PART.test(textOf(part.type) ?? textOf(part.kind) ?? '')) return true
  if (HOLDERS.some((field) => isObject(part[field]))) return true
  if (part.type !== undefined || part.kind !== undefined) return false
  if (isObject(part.content)) return part.content.$case === 'url' || part.content.$case === 'raw'
  return textOf(part.url) !== undefined || textOf(part.raw) !== undefined
}

function attachment(item: Item, raw: Record<string, unknown>): Attachment[] {
  const known = deepIdentity(raw)
  const holders = [raw, ...HOLDERS.map((field) => raw[field])].filter(isObject)
  const named = holders.flatMap((holder) => NAMES.flatMap((field) => textOf(holder[field]) ?? []))[0]
  const called = named ?? nameInAddress(known)
  const name = called ?? item.id ?? textOf(raw.type)
  // Without anything to know it by, nothing can be said of where it went.
  return known === undefined ? [] : [{ item, name: name ?? 'an attachment', called, ...known }]
}

/** `contract.pdf` at the end of an address. Without an extension it is some id, which nobody calls the file by. */
function nameInAddress(known: Pick<Attachment, 'identity' | 'by'> | undefined): string | undefined {
  if (known?.by !== 'address') return undefined
  const path = known.identity.split(/[?#]/u)[0]!.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/iu, '')
  return /[^/\\]+\.(?=\d*[a-z])[a-z0-9]{1,5}$/iu.exec(path)?.[0]
}

function deepIdentity(raw: Record<string, unknown>): Pick<Attachment, 'identity' | 'by'> | undefined {
  const held = [raw, ...HOLDERS.map((field) => raw[field]), raw.source, raw.content].filter(isObject)
  const inner = [...held, ...held.map(({ source }) => source).filter(isObject)]
  for (const [field, by] of IDENTITIES) {
    for (const fields of inner) {
      const identity = textOf(fields[field])
      if (identity !== undefined) return knownBy(identity, by)
    }
  }
  return undefined
}

/** What stands in the field is not always what the field is for. The signature of an address is new each time. */
function knownBy(identity: string, by: Attachment['by']): Pick<Attachment, 'identity' | 'by'> {
  if (identity.startsWith('data:')) return { identity, by: 'content' }
  if (by !== 'address' && !(by === 'content' && /^https?:\/\//iu.test(identity))) return { identity, by }
  const path = identity.split('?', 1)[0]!
  const isFile = nameInAddress({ identity: path, by: 'address' }) !== undefined
  return { identity: isFile ? path : identity, by: 'address' }
}

/** True if both are called the same, and one of them is known by that alone or each by something else. */
export function isNamesake(before: Attachment, after: Attachment): boolean {
  return before.by !== after.by && before.called !== undefined && before.called === after.called
}

/**
 * True if the second is in the place of the first and may be it: what each is known by cannot be compared, as after an
 * upload that gives a file a new id.
 */
export function mayBeSame(before: Attachment, after: Attachment): boolean {
  return before.by !== after.by && before.by !== 'name' && after.by !== 'name'
}
