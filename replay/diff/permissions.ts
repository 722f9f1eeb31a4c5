import { isObject } from '../../model/json.ts'
import { valueAt } from '../history.ts'
import type { Handoff, Permissions, Receipt, Run, Sent } from '../run.ts'
import type { PermissionCrossing } from './handoff-diff.ts'

/** Modes of permission from the strictest to the loosest, where runtimes agree on a word. */
const LOOSENESS: Record<string, number> = {
  plan: 0,
  'read-only': 0,
  readonly: 0,
  default: 1,
  ask: 1,
  prompt: 1,
  'accept-edits': 2,
  acceptedits: 2,
  auto: 3,
  'no-prompts': 4,
  bypass: 4,
  bypasspermissions: 4,
  yolo: 4,
}

/** What the sender's rules deny and the receiver has, and what the receiver should have and lacks. */
export function diffPermissions(
  run: Run,
  handoff: Handoff,
  sent: Sent | undefined,
  receipt: Receipt,
): PermissionCrossing {
  const before = permissionsOf(sent?.event.permissions) ?? ownRules(run, handoff, sent)
  const after = permissionsOf(receipt.event.permissions)
  return {
    sent: before,
    received: after,
    gained: gained(before, after, receipt),
    lost: lost(run, before, after, receipt),
  }
}

function permissionsOf(value: unknown): Permissions | undefined {
  return isObject(value) ? (value as Permissions) : undefined
}

/** A helper works under its caller's rules; a colleague who takes over has rules of its own. */
function ownRules(run: Run, handoff: Handoff, sent: Sent | undefined): Permissions | undefined {
  if (handoff.mode !== 'delegate' || handoff.from === undefined || sent === undefined) return undefined
  const agent = run.agents.get(handoff.from)
  return agent && valueAt(agent, sent.step)
}

function gained(
  before: Permissions | undefined,
  after: Permissions | undefined,
  receipt: Receipt,
): PermissionCrossing['gained'] {
  if (before === undefined) return []
  const out: PermissionCrossing['gained'] = []
  const has = new Set([...(receipt.tools ?? []), ...(after?.allow ?? [])])
  const stillDenied = new Set(after?.deny ?? [])
  for (const tool of has) {
    const rule = denyingRule(before, tool)
    if (rule !== undefined && !stillDenied.has(tool)) out.push({ tool, rule })
  }
  // A denied scope of a tool that the receiver has, such as `read:vault.toml`, holds only if the denial came along.
  for (const denied of before.deny ?? []) {
    const scopeOf = denied.includes(':') ? denied.slice(0, denied.indexOf(':')) : undefined
    if (scopeOf !== undefined && after?.deny !== undefined && has.has(scopeOf) && !stillDenied.has(denied)) {
      out.push({ tool: denied, rule: `denied: ${denied}` })
    }
  }
  if (looser(after?.mode, before.mode))
    out.push({ tool: `mode ${after!.mode}`, rule: `mode: ${before.mode}` })
  return out
}

function denyingRule(rules: Permissions, tool: string): string | undefined {
  if (rules.deny?.includes(tool)) return `denied: ${tool}`
  const name = tool.split(':')[0]!
  if (name !== tool && rules.deny?.includes(name)) return `denied: ${name}`
  if (
    rules.closed &&
    rules.allow !== undefined &&
    !rules.allow.includes(tool) &&
    !rules.allow.includes(name)
  ) {
    return `allowed is only: ${rules.allow.join(', ')}`
  }
  return undefined
}

function looser(mode: string | undefined, than: string | undefined): boolean {
  const x = LOOSENESS[mode?.toLowerCase() ?? '']
  const y = LOOSENESS[than?.toLowerCase() ?? '']
  return x !== undefined && y !== undefined && x > y
}

function lost(
  run: Run,
  before: Permissions | undefined,
  after: Permissions | undefined,
  receipt: Receipt,
): PermissionCrossing['lost'] {
  const out: PermissionCrossing['lost'] = []
  const configured = receipt.by === undefined ? undefined : run.agents.get(receipt.by)?.tools
  for (const tool of configured ?? []) {
    if (receipt.tools !== undefined && !receipt.tools.includes(tool))
      out.push({ tool, rule: `${receipt.by} is configured with it` })
  }
  if (before === undefined || after === undefined) return out
  for (const tool of after.allow === undefined ? [] : (before.allow ?? [])) {
    if (!after.allow!.includes(tool) && !before.deny?.includes(tool))
      out.push({ tool, rule: 'allowed at the sender' })
  }
  if (looser(before.mode, after.mode))
    out.push({ tool: `mode ${before.mode}`, rule: `mode at the receiver: ${after.mode}` })
  return out
}
