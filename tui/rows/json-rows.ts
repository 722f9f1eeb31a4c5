import { isObject } from '../../model/json.ts'
import { jsonText } from '../../model/json-text.ts'
import { bytesOf } from '../../model/sizes.ts'

/** `items[2].content`; empty for the root. */
export type TreePath = string

/** One line of a JSON tree. */
export type JsonRow = {
  path: TreePath
  depth: number
  key?: string | undefined
  /** The value as text, or what a container holds. */
  text: string
  kind: 'open' | 'folded' | 'value'
  value: unknown
  /** Bytes of a folded container. */
  size?: number | undefined
}

// A line shows no more of a text than this; the pane below shows the rest.
const LONGEST_TEXT = 1000
const MOST_ROWS = 100_000
// Nobody reads deeper, and hostile values are nested deeper than a stack can follow.
const DEEPEST = 200

/** The visible lines of a tree. `isOpen` says of each container whether it is unfolded. */
export function flatten(root: unknown, isOpen: (path: TreePath, depth: number) => boolean): JsonRow[] {
  const rows: JsonRow[] = []
  const visit = (value: unknown, path: TreePath, depth: number, key: string | undefined): void => {
    if (rows.length >= MOST_ROWS) return
    const members = membersOf(value, path)
    if (members === undefined || members.length === 0) {
      rows.push({ path, depth, key, text: scalarText(value), kind: 'value', value })
      return
    }
    const open = depth < DEEPEST && isOpen(path, depth)
    const count = `${members.length} ${Array.isArray(value) ? 'entr' : 'field'}${ending(value, members.length)}`
    const text = Array.isArray(value) ? `[ ${count} ]` : `{ ${count} }`
    rows.push({
      path,
      depth,
      key,
      text,
      kind: open ? 'open' : 'folded',
      value,
      size: open ? undefined : sizeOf(value),
    })
    if (open) for (const member of members) visit(member.value, member.path, depth + 1, member.key)
  }
  visit(root, '', 0, undefined)
  return rows
}

function ending(value: unknown, count: number): string {
  if (Array.isArray(value)) return count === 1 ? 'y' : 'ies'
  return count === 1 ? '' : 's'
}

function membersOf(
  value: unknown,
  path: TreePath,
): { key: string; path: TreePath; value: unknown }[] | undefined {
  if (Array.isArray(value))
    return value.map((one, index) => ({ key: `${index}`, path: `${path}[${index}]`, value: one }))
  if (!isObject(value)) return undefined
  return Object.entries(value).map(([key, one]) => ({
    key,
    path: path === '' ? key : `${path}.${key}`,
    value: one,
  }))
}

function scalarText(value: unknown): string {
  return jsonText(typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value) ?? 'undefined'
}

const sizes = new WeakMap<object, number>()

/** A container is measured once: large ones are looked at again and again. */
function sizeOf(value: unknown): number {
  const known = sizes.get(value as object)
  if (known !== undefined) return known
  const size = bytesOf(value)
  sizes.set(value as object, size)
  return size
}

/** Paths of keys and values that hold a text, in the order of the tree, folded or not. Case does not matter. */
export function pathsThatHold(root: unknown, text: string): TreePath[] {
  const needle = text.toLowerCase()
  const found: TreePath[] = []
  const visit = (value: unknown, path: TreePath, key: string, depth: number): void => {
    const members = depth < DEEPEST ? membersOf(value, path) : undefined
    const own = members === undefined && typeof value !== 'object' ? String(value) : ''
    if (key.toLowerCase().includes(needle) || own.toLowerCase().includes(needle)) found.push(path)
    for (const member of members ?? []) visit(member.value, member.path, member.key, depth + 1)
  }
  visit(root, '', '', 0)
  return found
}
