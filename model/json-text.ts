/*
 * JSON text of any depth. `JSON.stringify` recurses and gives up some thousand levels down, while `JSON.parse` reads any
 * depth: one hostile line would end the whole analysis. Both writers here keep their own stack.
 */

/** Compact JSON exactly as `JSON.stringify` writes it, however deep; undefined for what JSON cannot hold. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return write(value, Object.keys, JSON.stringify)
  }
}

/** The same as a text in any case: empty for what JSON cannot hold. */
export function jsonString(value: unknown): string {
  return jsonText(value) ?? ''
}

/** RFC 8785: members sorted by the UTF-16 code units of their names, no spaces. A lone surrogate is written as U+FFFD. */
export function canonicalText(value: unknown): string | undefined {
  try {
    return writeShallow(value, 0)
  } catch (error) {
    if (error !== TOO_DEEP) throw error
    return write(value, sortedKeys, wellFormedText)
  }
}

const TOO_DEEP = Symbol('too deep')
const SHALLOW = 100

/** The same by recursion, several times as fast. Throws TOO_DEEP for what is deep, and so for a cycle. */
function writeShallow(raw: unknown, depth: number): string | undefined {
  const value = plain(raw)
  if (!isContainer(value)) return scalar(value, wellFormedText)
  if (depth === SHALLOW) throw TOO_DEEP
  let out = ''
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      out += `${index === 0 ? '' : ','}${writeShallow(value[index], depth + 1) ?? 'null'}`
    }
    return `[${out}]`
  }
  for (const key of sortedKeys(value)) {
    const text = writeShallow((value as Record<string, unknown>)[key], depth + 1)
    if (text !== undefined) out += `${out === '' ? '' : ','}${wellFormedText(key)}:${text}`
  }
  return `{${out}}`
}

const FEW = 10

function sortedKeys(value: object): string[] {
  const keys = Object.keys(value)
  if (keys.length > FEW) return keys.sort()
  // Nearly every object has a handful of members, often in order already. They are put in their places without a copy.
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index]!
    let at = index
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!
    keys[at] = key
  }
  return keys
}

/** Nothing in it is escaped. */
const PLAIN = /^[ !#-[\]-~]*$/

function wellFormedText(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  const written = JSON.stringify(text)
  // JSON.stringify escapes a surrogate only if it stands alone.
  return written.includes('\\ud') ? JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd')) : written
}

type Frame = {
  value: Record<string, unknown> | unknown[]
  keys: string[] | undefined
  next: number
  begun: boolean
}

function write(
  root: unknown,
  keysOf: (value: object) => string[],
  quote: (text: string) => string,
): string | undefined {
  const first = plain(root)
  if (!isContainer(first)) return scalar(first, quote)
  let out = ''
  const stack: Frame[] = []
  // Only the containers that are open: the same value may stand twice side by side.
  const open = new Set<object>()
  const enter = (value: object) => {
    open.add(value)
    out += Array.isArray(value) ? '[' : '{'
    const keys = Array.isArray(value) ? undefined : keysOf(value)
    stack.push({ value: value as Frame['value'], keys, next: 0, begun: false })
  }
  enter(first)
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const list = frame.keys === undefined ? (frame.value as unknown[]) : undefined
    if (frame.next === (list ?? frame.keys!).length) {
      out += list === undefined ? '}' : ']'
      open.delete(frame.value)
      stack.pop()
      continue
    }
    const key = list === undefined ? frame.keys![frame.next] : undefined
    const raw = list === undefined ? (frame.value as Record<string, unknown>)[key!] : list[frame.next]
    frame.next++
    const member = plain(raw)
    const container = isContainer(member) && !open.has(member)
    const text = container ? '' : isContainer(member) ? 'null' : scalar(member, quote)
    if (text === undefined && key !== undefined) continue
    if (frame.begun) out += ','
    frame.begun = true
    if (key !== undefined) out += `${quote(key)}:`
    if (container) enter(member)
    else out += text ?? 'null'
  }
  return out
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function plain(value: unknown): unknown {
  if (!isContainer(value)) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value, '') : value
}

function scalar(value: unknown, quote: (text: string) => string): string | undefined {
  if (typeof value === 'string') return quote(value)
  return typeof value === 'bigint' ? quote(String(value)) : JSON.stringify(value)
}
