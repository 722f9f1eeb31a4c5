import type { Handoff } from '../run.ts'
import { isTransferTool } from './plumbing.ts'

/** A tool's name without case and separators. */
export function plainName(name: string): string {
  let plain = plainNames.get(name)
  if (plain === undefined) {
    plain = name.toLowerCase().replace(/[^\p{L}\p{N}*]/gu, '')
    if (plainNames.size >= KEPT) plainNames.clear()
    plainNames.set(name, plain)
  }
  return plain
}

// Tools are few and calls are many.
const KEPT = 5000
const plainNames = new Map<string, string>()
const keys = new Map<string, Set<string>>()

/**
 * True if both names mean one tool. Runtimes put a server or a scope around it: `mcp.wire_money` and
 * `mcp__bank__wire_money` are `wire_money`, and `read:vault.toml` is `read`.
 */
export function sameTool(a: string, b: string): boolean {
  if (a === b) return true
  const [whole, other] = [plainName(a), plainName(b)]
  return whole === other || toolKeys(a).has(other) || toolKeys(b).has(whole)
}

/** The plain names under which a tool may be meant: the whole, and what stands before and after its separators. */
export function toolKeys(name: string): ReadonlySet<string> {
  let known = keys.get(name)
  if (known === undefined) {
    const parts = name.split(/__|[.:/]/u).filter((part) => part !== '')
    known = new Set([name, parts[0] ?? name, parts.at(-1) ?? name].map(plainName))
    if (keys.size >= KEPT) keys.clear()
    keys.set(name, known)
  }
  return known
}

/** True if a rule's pattern means the tool, in whatever case: its name, `name:scope`, or a pattern with `*`. */
export function ruleNames(pattern: string, tool: string): boolean {
  if (pattern === tool) return true
  const [rule, name] = [pattern.toLowerCase(), tool.toLowerCase()]
  if (rule === name) return true
  if (rule.endsWith(':*') || rule.endsWith('(*)')) {
    return rule.slice(0, rule.endsWith(')') ? -3 : -2) === toolOfRule(name)
  }
  if (rule.includes('*')) return matchesStars(rule, name)
  return rule === toolOfRule(name)
}

/** The tool that `tool:scope` or `tool(scope)` is about. */
export function toolOfRule(rule: string): string {
  return /^[^:(]+/u.exec(rule)?.[0] ?? rule
}

/** The scope in `tool:scope` or `tool(scope)`. */
export function scopeOfRule(rule: string): string | undefined {
  const scope = /^[^:(]+[:(](.+?)\)?$/u.exec(rule)?.[1]
  return scope === '*' ? undefined : scope
}

/** `*` stands for any text. Without a regular expression, since patterns come from a log. */
function matchesStars(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const first = parts.shift()!
  const last = parts.pop()!
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  let at = first.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}

/** True for a call that hands over to another agent; it belongs to the runtime and need not be among an agent's tools. */
export function handsOver(tool: string, call: string | undefined, handoffs: readonly Handoff[]): boolean {
  if (isTransferTool(tool)) return true
  const name = plainName(tool)
  return handoffs.some(
    ({ sent, to }) =>
      (call !== undefined && sent?.event.call === call) || (to !== undefined && name.includes(plainName(to))),
  )
}
