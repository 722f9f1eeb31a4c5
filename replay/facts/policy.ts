import type { Item } from '../../model/items.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import { isAttachment, isPlumbing, isTransferTool } from './plumbing.ts'

/** What the sender declared would cross, as far as its words are understood. */
export type Policy = {
  /** The words that were understood, as they were written. */
  words: string[]
  /** True if values are to be removed wherever they stand. */
  redacts: boolean
  /** True if what tools returned is not to cross. */
  removesTools: boolean
  /** The word that says that a summary takes the place of the items; undefined if none does. */
  summarises: string | undefined
  /** Why an item of the sender should not have crossed: the word of the policy; undefined if it may. */
  excludes(item: Item): string | undefined
}

type Rule = { word: string; excludes: (item: Item) => boolean; removesTools?: boolean }

/**
 * Reads a declared policy against the sender's items. Runtimes use many words for the same thing (`remove-tools`,
 * `no_tools`, `toolsRemoved`); a word that is not understood excludes nothing.
 */
export function readPolicy(policy: unknown, before: readonly Item[]): Policy {
  const fields = isObject(policy) ? policy : {}
  const filterWords = wordsIn(fields.filter)
  const filters = filterWords.flatMap((word) => filterRule(word, before) ?? [])
  const historyWords = wordsIn(fields.history)
  const histories = historyWords.flatMap((word) => historyRule(word, before) ?? [])
  const allowed = allowedItems(fields.allows, before)
  const rules = [...filters, ...histories]
  return {
    words: [
      ...rules.map(({ word }) => word),
      ...(allowed === undefined ? [] : ['allows']),
      ...(redacts(fields.redact) ? ['redact'] : []),
    ],
    redacts: redacts(fields.redact) || filterWords.some((word) => REDACTION.test(word)),
    summarises: historyWords.find((word) => /summar|nested|compact|condens/iu.test(word)),
    removesTools: rules.some((rule) => rule.removesTools === true),
    excludes: (item) => {
      if (allowed?.has(item)) return undefined
      const rule = rules.find((candidate) => candidate.excludes(item))
      return rule?.word ?? (allowed === undefined ? undefined : 'allows')
    },
  }
}

const REDACTION = /redact|mask|scrub|sensitive|secret|credential|\bpii\b|anonymi[sz]e|sanitiz|sanitis/iu

function redacts(value: unknown): boolean {
  if (typeof value === 'string') return !/^(none|off|false|no)$/iu.test(value.trim())
  if (Array.isArray(value)) return value.length > 0
  return value === true || isObject(value)
}

/** A policy names its parts as a word, a list of words, objects with a name, or fields that say what is done with what. */
function wordsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((entry) => {
    if (!isObject(entry)) return textOf(entry) ?? []
    const name = textOf(entry.name) ?? textOf(entry.type) ?? textOf(entry.mode)
    return name ?? Object.entries(entry).flatMap(([field, what]) => saidBy(field, what))
  })
}

/** `{last: 3}`, `{remove: ['tool_call']}`, `{excludeTypes: 'function_call'}`, `{removeTools: true}`, `{tools: false}` in words. */
function saidBy(field: string, what: unknown): string[] {
  if (what === false) return REMOVES.test(spoken(field)) ? [] : [`no ${field}`]
  if (what === true) return [field]
  if (typeof what === 'number') return field === 'last' ? [`last-${what}`] : []
  if (!REMOVES.test(spoken(field))) return []
  return (Array.isArray(what) ? what : [what]).flatMap((name) => {
    const word = textOf(name)
    return word === undefined ? [] : [`${field} ${word}`]
  })
}

/** `removeAllTools`, `remove_all_tools`, `Remove all tools` and `my.filters.remove_all_tools` are one word. */
function spoken(word: string): string {
  return (/^[\w$-]+(?:(?:\.|::?)[\w$-]+)*(?:\.|::?)([\w$-]+)$/u.exec(word)?.[1] ?? word)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .replace(/[\s_/+.]+/gu, '-')
}

const REMOVES =
  /\b(no|remove[ds]?|strip(ped|s)?|drop(ped|s)?|without|exclude[ds]?|hide|hidden|omit(ted|s)?)\b/u
const ONLY = /\bonly\b/u

function filterRule(word: string, before: readonly Item[]): Rule | undefined {
  const text = spoken(word)
  if (REMOVES.test(text)) {
    if (/\b(transfer|handoff|handover)s?\b/u.test(text)) return { word, excludes: transferItems(before) }
    if (/\btool-(result|output)s?\b/u.test(text))
      return { word, removesTools: true, excludes: (item) => item.type === 'tool_result' }
    if (/\b(tools?|tool-calls?|function-calls?|calls?)\b/u.test(text)) return withoutTools(word, before)
    if (/\b(reasoning|thinking|thoughts)\b/u.test(text))
      return { word, excludes: (item) => item.type === 'reasoning' || item.type === 'thinking' }
    if (/\b(files?|attachments?|images?|media)\b/u.test(text)) return { word, excludes: isAttachment }
    if (/\bsystem\b/u.test(text)) return { word, excludes: (item) => item.role === 'system' }
    return undefined
  }
  if (!ONLY.test(text)) return undefined
  if (/\buser\b/u.test(text)) return { word, removesTools: true, excludes: (item) => item.role !== 'user' }
  if (/\btext\b/u.test(text))
    return { word, removesTools: true, excludes: (item) => isPlumbing(item) || isAttachment(item) }
  return /\b(messages?|conversation|dialogue|chat)\b/u.test(text) ? withoutTools(word, before) : undefined
}

function withoutTools(word: string, before: readonly Item[]): Rule {
  return {
    word,
    removesTools: true,
    excludes: (item) => isPlumbing(item) || reasonsAboutTools(item, before),
  }
}

/** Reasoning that leads to a call goes with it; alone it is refused by providers. */
function reasonsAboutTools(item: Item, before: readonly Item[]): boolean {
  if (item.type !== 'reasoning') return false
  const own = before.find(
    (candidate) => candidate === item || (item.id !== undefined && candidate.id === item.id),
  )
  const next = own && before.find((candidate) => candidate.position > own.position)
  return next !== undefined && isPlumbing(next)
}

function transferItems(before: readonly Item[]): (item: Item) => boolean {
  const calls = new Set(
    before.flatMap((item) => (isTransferTool(item.tool) && item.call !== undefined ? [item.call] : [])),
  )
  return (item) => isTransferTool(item.tool) || (item.call !== undefined && calls.has(item.call))
}

function historyRule(word: string, before: readonly Item[]): Rule | undefined {
  const text = spoken(word)
  if (REMOVES.test(text) && !/^no-history/u.test(text)) return filterRule(word, before)
  const last = /\blast-(user-)?message\b/u.exec(text)
  if (last !== null) {
    // Whoever returns says the last word, and kits call a result a message as well. The request to answer may come along.
    const said =
      last[1] === undefined
        ? [...lastWhere(before, (item) => item.type === 'message'), ...before.slice(-1)]
        : []
    return { word, excludes: without(new Set([...said, ...lastWhere(before, isUserMessage)])) }
  }
  if (ONLY.test(text) && /\b(user|messages?|text|conversation)\b/u.test(text)) return filterRule(word, before)
  if (/\blast-pair\b|\btransfer-pair\b|\bpair-only\b/u.test(text))
    return { word, excludes: without(lastPair(before)) }
  const counted = /\blast-(\d+)(?:-(\p{L}+))?/u.exec(text)
  if (counted !== null) return { word, excludes: beyondLast(before, Number(counted[1]), counted[2]) }
  if (/^(none|no-history|empty|fresh|isolated|off|brief|task|record|current)(\b|$)/u.test(text)) {
    // Whatever else is left out, the request that the receiver is to answer may come along.
    return { word, excludes: without(new Set(lastWhere(before, isUserMessage))) }
  }
  return undefined
}

function without(allowed: ReadonlySet<Item>): (item: Item) => boolean {
  return (item) => !allowed.has(item)
}

/** The last exchange: read as the last call with its result, or the last word of each side; runtimes mean either. */
function lastPair(before: readonly Item[]): Set<Item> {
  const lastResult = before.findLast((item) => item.type === 'tool_result')
  const call = lastResult?.call ?? before.findLast((item) => item.type === 'tool_call')?.call
  return new Set([
    ...before.filter((item) => call !== undefined && item.call === call),
    ...lastWhere(before, isUserMessage),
    ...lastWhere(before, (item) => item.type === 'message' && item.role === 'assistant'),
    ...before.slice(-2),
  ])
}

function lastWhere(before: readonly Item[], wanted: (item: Item) => boolean): Item[] {
  const found = before.findLast(wanted)
  return found === undefined ? [] : [found]
}

function isUserMessage(item: Item): boolean {
  return item.role === 'user' && item.type === 'message'
}

/** Items with so many messages (or turns of the user) behind them that no way of counting includes them. */
function beyondLast(
  before: readonly Item[],
  count: number,
  unit: string | undefined,
): (item: Item) => boolean {
  const counted = /^turn/u.test(unit ?? '') ? isUserMessage : (item: Item) => item.type === 'message'
  const kept = new Set<Item>()
  let seen = 0
  for (const item of before.toReversed()) {
    if (seen >= count && kept.size >= count) break
    kept.add(item)
    if (counted(item)) seen++
  }
  return (item) => !kept.has(item)
}

/** The sender's items that `allows` names by id, type, role, tool or author; undefined if it says something else. */
function allowedItems(allows: unknown, before: readonly Item[]): Set<Item> | undefined {
  const names = listOf(allows).flatMap((entry) => {
    const name = isObject(entry)
      ? (textOf(entry.id) ?? textOf(entry.type) ?? textOf(entry.role))
      : textOf(entry)
    return name === undefined ? [] : [name]
  })
  if (names.length === 0) return undefined
  const wanted = new Set(names.flatMap((name) => [name, name.replace(/s$/u, '')]))
  const namesOf = (item: Item) => [item.id, item.call, item.type, item.role, item.tool, item.author]
  const known = new Set([...before.flatMap(namesOf), ...KNOWN_NAMES])
  // One word that stands for nothing here may stand for anything: then the list is not judged.
  if (!names.every((name) => known.has(name) || known.has(name.replace(/s$/u, '')))) return undefined
  return new Set(
    before.filter((item) => namesOf(item).some((name) => name !== undefined && wanted.has(name))),
  )
}

const KNOWN_NAMES = [
  'message',
  'user',
  'assistant',
  'system',
  'tool',
  'tool_call',
  'tool_result',
  'summary',
  'file',
  'note',
  'reasoning',
  'approval',
  'constraint',
  'record',
  'brief',
]
