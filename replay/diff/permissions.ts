import { isObject } from '../../model/json.ts'
import { toolNames } from '../../model/tool-names.ts'
import { wasDispatched } from '../facts/effects.ts'
import { latestReceipt } from '../facts/participation.ts'
import { isTransferTool } from '../facts/plumbing.ts'
import { plainName, ruleNames, scopeOfRule, toolOfRule } from '../facts/tool-names.ts'
import { configuredTools } from '../facts/toolkits.ts'
import { valueAt } from '../history.ts'
import type { Handoff, Permissions, Receipt, Run, Sent } from '../run.ts'
import type { PermissionCrossing } from './handoff-diff.ts'
import { isStrictest, looser } from './permission-modes.ts'

type Change = { tool: string; rule: string }

/**
 * What the sender's rules deny and the receiver has, and what the receiver should have and lacks. A helper works under
 * its caller's rules, also unsaid ones; a colleague who takes over has rules of its own unless the sender passed some on.
 * A report back and a notice pass nothing on.
 */
export function diffPermissions(
  run: Run,
  handoff: Handoff,
  sent: Sent | undefined,
  receipt: Receipt,
): PermissionCrossing {
  const explicit = permissionsOf(sent?.event.permissions) ?? permissionsOf(sent?.record?.raw.permissions)
  const before = rulesOfSender(run, handoff, sent, explicit)
  const after = permissionsOf(receipt.event.permissions) ?? permissionsOf(receipt.record?.raw.permissions)
  const passesOn = handoff.mode !== 'return' && handoff.mode !== 'notify'
  return {
    sent: before,
    received: after,
    gained: before === undefined || !passesOn ? [] : gained(run, before, after, receipt),
    lost: passesOn ? lost(run, explicit, before, after, receipt) : [],
  }
}

function permissionsOf(value: unknown): Permissions | undefined {
  if (!isObject(value)) return undefined
  const list = (entry: unknown) =>
    Array.isArray(entry) ? entry.filter((tool) => typeof tool === 'string') : undefined
  return {
    allow: list(value.allow),
    deny: list(value.deny),
    ask: list(value.ask),
    mode: typeof value.mode === 'string' ? value.mode : undefined,
    closed: value.closed === true,
  }
}

/** The rules that the receiver has to keep. What the sender passes on says more than what it is bound by itself. */
function rulesOfSender(
  run: Run,
  handoff: Handoff,
  sent: Sent | undefined,
  explicit: Permissions | undefined,
): Permissions | undefined {
  if (sent === undefined || handoff.from === undefined) return explicit
  const same = handoff.from === (handoff.receipts[0]?.by ?? handoff.to)
  if (handoff.mode !== 'delegate' && !(handoff.mode === 'resume' && same)) return explicit
  const agent = run.agents.get(handoff.from)
  const given = latestReceipt(run, handoff.from, sent.step)
  const inherited =
    given?.handoff.mode === 'delegate' ? permissionsOf(given.receipt.event.permissions) : undefined
  const own = both(agent && valueAt(agent, sent.step), inherited)
  if (own === undefined || explicit === undefined) return explicit ?? own
  // A tool that the sender expressly allows is a widening on purpose.
  const widened = new Set((explicit.allow ?? []).map((tool) => tool.toLowerCase()))
  const denied = (own.deny ?? []).filter((tool) => !widened.has(tool.toLowerCase()))
  return {
    ...own,
    ...defined(explicit),
    deny: [...new Set([...denied, ...(explicit.deny ?? [])])],
    closed: explicit.closed || (explicit.allow === undefined && own.closed),
  }
}

function both(a: Permissions | undefined, b: Permissions | undefined): Permissions | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { ...b, ...defined(a), deny: [...(a.deny ?? []), ...(b.deny ?? [])], closed: a.closed || b.closed }
}

function defined(rules: Permissions): Permissions {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined))
}

function gained(run: Run, before: Permissions, after: Permissions | undefined, receipt: Receipt): Change[] {
  const out = new Map<string, string>()
  const tools = receipt.tools ?? configuredOf(run, receipt) ?? []
  const has = new Set([...tools, ...(after?.allow ?? [])])
  for (const tool of has) {
    const rule = denyingRule(before, tool) ?? askingRule(before, after, tool)
    if (rule !== undefined && !isDenied(after, tool)) out.set(tool, rule)
  }
  // A denied scope of a tool that the receiver has, such as `read:vault.toml`, holds only if the denial came along.
  for (const denied of before.deny ?? []) {
    if (scopeOfRule(denied) === undefined || after?.deny === undefined) continue
    if (has.has(toolOfRule(denied)) && !isDenied(after, denied)) out.set(denied, `denied: ${denied}`)
  }
  for (const { tool, rule } of deniedCalls(run, before, receipt)) if (!out.has(tool)) out.set(tool, rule)
  if (looser(after?.mode, before.mode)) out.set(`mode ${after!.mode}`, `mode: ${before.mode}`)
  return [...out].map(([tool, rule]) => ({ tool, rule }))
}

function configuredOf(run: Run, receipt: Receipt): string[] | undefined {
  return receipt.by === undefined ? undefined : configuredTools(run, receipt.by, receipt.step)
}

/** What the receiver did although it was denied: then it had it, whatever its list of tools says. */
function deniedCalls(run: Run, before: Permissions, receipt: Receipt): Change[] {
  const readOnly = isStrictest(before.mode)
  if (!readOnly && (before.deny ?? []).length === 0) return []
  return [...run.operations.values()].flatMap((operation) => {
    if (operation.agent !== receipt.by || operation.versions[0]!.step <= receipt.step) return []
    if (!operation.versions.some(({ value }) => wasDispatched(value))) return []
    const { tool } = operation
    const denied = before.deny?.find(
      (rule) => ruleNames(rule, tool) || isScopedCall(rule, tool, operation.args),
    )
    if (denied !== undefined)
      return [{ tool: denied.includes('*') ? tool : denied, rule: `denied: ${denied}` }]
    return readOnly && operation.effect === 'write' && !operation.effectAssumed
      ? [{ tool, rule: `mode: ${before.mode}` }]
      : []
  })
}

function isScopedCall(rule: string, tool: string, args: unknown): boolean {
  const scope = scopeOfRule(rule)
  if (scope === undefined || !ruleNames(toolOfRule(rule), tool) || !isObject(args)) return false
  return Object.values(args).includes(scope)
}

function denyingRule(rules: Permissions, tool: string): string | undefined {
  const allowed = rules.allow?.some((pattern) => pattern !== '*' && ruleNames(pattern, tool)) ?? false
  for (const denied of rules.deny ?? []) {
    if (denied === '*' ? !allowed : ruleNames(denied, tool)) return `denied: ${denied}`
  }
  return rules.closed && rules.allow !== undefined && !allowed && !rules.allow.includes('*')
    ? `allowed is only: ${rules.allow.join(', ')}`
    : undefined
}

/** The sender has to ask first, and the receiver may without. */
function askingRule(before: Permissions, after: Permissions | undefined, tool: string): string | undefined {
  if (!before.ask?.some((pattern) => ruleNames(pattern, tool)) || before.allow?.includes(tool))
    return undefined
  const free = after?.allow?.includes(tool) && !after.ask?.some((pattern) => ruleNames(pattern, tool))
  return free ? `to be asked for first: ${tool}` : undefined
}

function isDenied(rules: Permissions | undefined, tool: string): boolean {
  if (rules === undefined) return false
  return denyingRule(rules, tool) !== undefined || (rules.deny?.includes(tool) ?? false)
}

/** Configured tools that the payload lacks. Tools without a name, and how frameworks hand over, cannot be compared. */
function missingTools(run: Run, receipt: Receipt): string[] {
  if (receipt.tools === undefined || !receipt.event.tools?.every((tool) => toolNames(tool).length > 0))
    return []
  const has = new Set(receipt.tools.map(plainName))
  return (configuredOf(run, receipt) ?? []).filter(
    (tool) => !has.has(plainName(tool)) && !isTransferTool(tool),
  )
}

/** Rules of its own, whoever starts it. */
function rulesOfReceiver(run: Run, { by, step }: Receipt): Permissions | undefined {
  const agent = by === undefined ? undefined : run.agents.get(by)
  return agent && valueAt(agent, step)
}

function lost(
  run: Run,
  explicit: Permissions | undefined,
  before: Permissions | undefined,
  after: Permissions | undefined,
  receipt: Receipt,
): Change[] {
  const out = new Map<string, string>()
  for (const tool of missingTools(run, receipt)) {
    const isAllowed = explicit?.allow?.includes(tool) && !isDenied(rulesOfReceiver(run, receipt), tool)
    const withheld =
      (before && denyingRule(before, tool)) !== undefined || (isDenied(after, tool) && !isAllowed)
    if (!withheld) out.set(tool, `${receipt.by} is configured with it`)
  }
  // A helper may well get fewer tools. What it has, and was to be allowed, it must be able to use.
  for (const tool of after === undefined ? [] : (explicit?.allow ?? [])) {
    if (receipt.tools !== undefined && !receipt.tools.some((has) => ruleNames(has, toolOfRule(tool))))
      continue
    const usable = after!.allow?.some((pattern) => ruleNames(pattern, tool)) ?? true
    const asks = after!.ask?.some((pattern) => ruleNames(pattern, tool)) ?? false
    if ((!usable || asks || isDenied(after, tool)) && denyingRule(explicit!, tool) === undefined)
      out.set(tool, 'allowed by the sender')
  }
  const deliberate = explicit?.mode === undefined && isStrictest(after?.mode)
  if (looser(before?.mode, after?.mode) && !deliberate)
    out.set(`mode ${before!.mode}`, `mode at the receiver: ${after!.mode}`)
  return [...out].map(([tool, rule]) => ({ tool, rule }))
}
