import { type Item, textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { originKind, type Principal, readPrincipal } from '../../model/principal.ts'
import { isAgent, isPerson } from '../facts/agents.ts'
import { isKnownBrief } from '../facts/briefs.ts'
import type { Handoff, Receipt, Run, Sent } from '../run.ts'
import type { OriginCrossing } from './handoff-diff.ts'

// More authority, higher number. Words that are none of these are not ranked.
const RANK = new Map(Object.entries({ agent: 0, system: 1, schedule: 1, org: 2, human: 3 }))
// A text of fewer characters may be said by two people.
const OWN_WORDS_FROM = 12

/** True if the first kind of principal has more authority than the second; unknown kinds are not compared. */
export function outranks(kind: string | undefined, other: string | undefined): boolean {
  const x = RANK.get(kind ?? '')
  const y = RANK.get(other ?? '')
  return x !== undefined && y !== undefined && x > y
}

/** Items at the receiver that speak with an authority nobody gave them, and why. */
export function findEscalations(
  run: Run,
  handoff: Handoff,
  sent: Sent | undefined,
  receipt: Receipt,
): OriginCrossing['escalations'] {
  const items = receipt.items ?? []
  const asUser = items.some(({ role }) => role === 'user')
  const sides = { run, handoff, sent, receipt, before: indexOf(asUser ? (sent?.items ?? []) : []) }
  return items.flatMap((item) => {
    const why = falseClaim(run, item) ?? (item.role === 'user' ? inUsersRole(item, sides) : undefined)
    return why === undefined ? [] : [{ item, why }]
  })
}

type Index = { byId: Map<string, Item>; byText: Map<string, Item[]> }
type Sides = { run: Run; handoff: Handoff; sent: Sent | undefined; receipt: Receipt; before: Index }

function indexOf(items: readonly Item[]): Index {
  const byId = new Map(items.flatMap((item) => (item.id === undefined ? [] : [[item.id, item] as const])))
  const byText = new Map<string, Item[]>()
  for (const item of items) {
    const same = byText.get(item.text)
    if (same === undefined) byText.set(item.text, [item])
    else same.push(item)
  }
  return { byId, byText }
}

/** An item that says it is from somebody with more authority than its author has. */
function falseClaim(run: Run, item: Item): string | undefined {
  const claims = claimOf(item)
  if (claims === undefined) return undefined
  const kind = item.origin?.kind === undefined ? undefined : originKind(item.origin.kind)
  if (kind === 'human' && item.origin?.verified !== false) return undefined
  const name = claims.id ?? claims.kind!
  if (name === item.author || name === item.origin?.kind) return undefined
  // A name that is no kind is somebody's; only tools and agents themselves have nothing to claim.
  const claimed = claims.kind === undefined ? 3 : (RANK.get(claims.kind) ?? 3)
  if (claimed <= (RANK.get(kind ?? 'agent') ?? 0) && !isAgent(run, name)) return undefined
  return `is by ${item.author ?? kind ?? 'an unknown author'}, but claims to be from ${name}`
}

function claimOf(item: Item): Principal | undefined {
  const claims = isObject(item.raw) ? item.raw.claims : undefined
  return readPrincipal(claims)
}

function inUsersRole(item: Item, sides: Sides): string | undefined {
  const kind = item.origin?.kind === undefined ? undefined : originKind(item.origin.kind)
  if (kind !== undefined && kind !== 'human') {
    return isOwnVoice(item, kind, sides) || isBrief(item, kind, sides)
      ? undefined
      : `stands in the user's role, but comes from ${kind}`
  }
  return unverified(item, kind, sides) ?? relabelled(item, kind, sides) ?? agentInUsersRole(item, kind, sides)
}

/**
 * Where a webhook or a schedule started the run, its words stand in the user's role for want of another. What a framework
 * adds on the way is not by whoever started the run, although it is a system as well.
 */
function isOwnVoice(item: Item, kind: string, { run, sent, before }: Sides): boolean {
  const principal = readPrincipal(sent?.event.principal) ?? sent?.record?.origin ?? run.principal
  if (principal?.kind !== kind) return false
  if (item.origin?.kind !== 'framework' || sent?.items === undefined) return true
  return (item.id !== undefined && before.byId.has(item.id)) || before.byText.has(item.text)
}

/** An agent's brief to its helper stands in the user's role, and in the helper's history later on. */
function isBrief(item: Item, kind: string, { run, handoff, receipt }: Sides): boolean {
  if (kind !== 'agent') return false
  if (isKnownBrief(run, item.text)) return true
  if (handoff.mode !== 'delegate' && handoff.mode !== 'resume') return false
  // An agent does not brief itself: its own words in the user's role are taken for the user's.
  return item.author === handoff.from && handoff.from !== receipt.by
}

/** A turn that nobody is known to have written: not among the sender's items, nor said in the run. */
function unverified(
  item: Item,
  kind: string | undefined,
  { run, sent, receipt, before }: Sides,
): string | undefined {
  if (item.origin?.verified !== false || sent?.items === undefined) return undefined
  if ((item.id !== undefined && before.byId.has(item.id)) || before.byText.has(item.text)) return undefined
  const said = run.messages.some(
    ({ step, event }) =>
      step < receipt.step && event.role === 'user' && textOfContent(event.content) === item.text,
  )
  return said
    ? undefined
    : `stands in the user's role as ${kind ?? 'human'}, unverified, and nobody is known to have written it`
}

/** The same item, or the same words, had another role or another origin at the sender. */
function relabelled(
  item: Item,
  kind: string | undefined,
  { before, sent, handoff, run }: Sides,
): string | undefined {
  const same = item.id === undefined ? undefined : before.byId.get(item.id)
  const origin = same?.origin?.kind === undefined ? undefined : originKind(same.origin.kind)
  if (origin !== undefined && origin !== 'human' && kind === 'human') {
    return `came from ${origin} at the sender and is from a human now`
  }
  if (same !== undefined && same.role !== undefined && same.role !== 'user') {
    return `was ${same.role} at the sender and stands in the user's role`
  }
  if (same !== undefined || item.text.length < OWN_WORDS_FROM || handoff.mode === 'delegate') return undefined
  const twins = before.byText.get(item.text) ?? []
  if (twins.length === 0 || twins.some((twin) => twin.role === 'user' || twin.role === undefined))
    return undefined
  // Several people may write under their names; whoever had the task and spoke as an agent is none of them.
  const { author } = item
  const isSender =
    author === handoff.from && twins.some((twin) => twin.author === author) && !isPerson(run, author ?? '')
  if (author !== undefined && !isSender && !isAgent(run, author)) return undefined
  return sent === undefined ? undefined : `was ${twins[0]!.role} at the sender and stands in the user's role`
}

/** A helper's report, or another agent's words, under that agent's name in the user's role. */
function agentInUsersRole(item: Item, kind: string | undefined, { run, handoff }: Sides): string | undefined {
  if (kind === 'human' || item.author === undefined || !isAgent(run, item.author)) return undefined
  if (handoff.mode === 'delegate' || handoff.mode === 'resume' || textOf(item.author) === run.principal?.id)
    return undefined
  return `is by ${item.author} and stands in the user's role`
}
