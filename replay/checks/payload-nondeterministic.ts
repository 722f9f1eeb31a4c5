import { canonicalJson } from '../../model/hash.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { withoutGenerated } from '../facts/generated.ts'
import { type RequestPair, requestsThatDiffer } from '../facts/repeated-requests.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, listed, quote, receiverOf } from '../phrase.ts'
import { wordsOf } from '../text.ts'

export const payloadNondeterministic: Check = {
  id: 'payload-nondeterministic',
  severity: 'warning',
  title: 'The same input gave another payload',
  question: 'Does a run that is repeated hand over the same?',
  definition:
    'Raised when a run names another in replay_of (or both name the same), and a handoff between the same agents, in the ' +
    'same place, with the same items, record and brief at the sender, gave its receiver other items, instructions or tools, ' +
    'or the same ones in another order; also when a model request with the same items went out with other instructions or tools. Ids, times and random strings are left out. Raised on the repeating run. Needs ' +
    "both runs given together and the sender's items in both.",
  check(input) {
    const original = input.related.find(({ run }) => isOriginal(input, run.id, run.startedAt))
    if (original === undefined) return { findings: [] }
    const others = inPlaces(original.diffs)
    return {
      findings: [
        ...[...inPlaces(input.diffs)].flatMap(([place, diff]) => {
          const other = others.get(place)
          return other === undefined ? [] : differences(diff, other, original.run.id)
        }),
        ...requestsThatDiffer(input.run, original.run).map((pair) => requestDraft(pair, original.run.id)),
      ],
    }
  },
}

/** The run that this one repeats; among repetitions of a run that is not there, the first. */
function isOriginal({ run, related }: CheckInput, id: string, startedAt: string | undefined): boolean {
  if (run.replayOf === undefined) return false
  if (related.some((other) => other.run.id === run.replayOf)) return id === run.replayOf
  return (startedAt ?? '') < (run.startedAt ?? '') || (startedAt === run.startedAt && id < run.id)
}

/** Handoffs by agents, mode and how many of the kind went before. */
function inPlaces(diffs: readonly HandoffDiff[]): Map<string, HandoffDiff> {
  const counts = new Map<string, number>()
  return new Map(
    diffs.map((diff) => {
      const { from, to, mode } = diff.handoff
      const kind = `${from}\u0000${to}\u0000${mode}`
      const count = counts.get(kind) ?? 0
      counts.set(kind, count + 1)
      return [`${kind}\u0000${count}`, diff]
    }),
  )
}

function differences(diff: HandoffDiff, other: HandoffDiff, original: string): Draft[] {
  const [here, there] = [diff.receipt, other.receipt]
  if (
    here === undefined ||
    there === undefined ||
    inputOf(diff) === undefined ||
    inputOf(diff) !== inputOf(other)
  )
    return []
  // With nothing to hand over the receiver's items come from what is not in the log.
  const isKnown =
    (diff.sent!.items?.length ?? 0) > 0 ||
    diff.sent!.event.brief !== undefined ||
    diff.sent!.record !== undefined
  const parts = [
    { name: 'items', a: isKnown ? there.event.items : undefined, b: isKnown ? here.event.items : undefined },
    { name: 'instructions', a: there.event.instructions, b: here.event.instructions },
    { name: 'tools', a: there.event.tools, b: here.event.tools },
    {
      name: 'record',
      a: isKnown ? there.event.record : undefined,
      b: isKnown ? here.event.record : undefined,
    },
  ].filter(({ a, b }) => a !== undefined && b !== undefined && plain(a) !== plain(b))
  if (parts.length === 0) return []
  const reordered = parts.filter(({ a, b }) => sameParts(a, b)).map(({ name }) => name)
  const words = parts.map(({ name }) =>
    reordered.includes(name) ? `the same ${name} in another order` : `other ${name}`,
  )
  return [
    {
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'handoff', id: diff.handoff.id },
      message:
        `This run repeats ${original}, and ${diff.handoff.from ?? 'the sender'} had the same to hand over; still ` +
        `${receiverOf(diff.handoff)} got ${listed(words)} (${listed(parts.map(sample))}). ` +
        'What one run shows need not hold for the next, and a cache in front of the model misses.',
      evidence: [
        { step: diff.sent!.step, side: 'sender' },
        ...parts.map(({ name, b }) => ({
          step: here.step,
          path: name,
          side: 'receiver' as const,
          text: quote(textOf(b)),
        })),
      ],
      remedy: 'Build the payload in a fixed order, with nothing in it that is made anew each time.',
      trait: parts.map(({ name }) => name).join(' '),
    },
  ]
}

/** A later request of an agent, with the same items as in the run that is repeated and another frame around them. */
function requestDraft({ now, then, step, name }: RequestPair, original: string): Draft {
  const agent = now.agent ?? 'The agent'
  const how = sameParts(then[name], now[name]) ? `the same ${name} in another order` : `other ${name}`
  return {
    agents: now.agent === undefined ? [] : [now.agent],
    subject: { kind: 'item', id: name },
    message:
      `This run repeats ${original}, and ${agent} asked its model with the same items, but with ${how} ` +
      `(${sample({ a: then[name], b: now[name] })}). What one run shows need not hold for the next, and a cache in front of the model misses.`,
    evidence: [{ step, path: name, text: quote(textOf(now[name])) }],
    remedy: 'Build the request in a fixed order, with nothing in it that is made anew each time.',
    trait: `request ${name}`,
  }
}

function inputOf({ sent }: HandoffDiff): string | undefined {
  if (sent === undefined || sent.items === undefined) return undefined
  const { items_before, record, brief, policy } = sent.event
  return plain([items_before, record ?? null, brief ?? null, policy ?? null])
}

function plain(value: unknown): string {
  return canonicalJson(withoutGenerated(value))
}

function sameParts(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return canonicalJson(a.map(plain).sort()) === canonicalJson(b.map(plain).sort())
  const [left, right] = [wordsOf(textOf(a)), wordsOf(textOf(b))]
  return left.size === right.size && [...left].every((word) => right.has(word))
}

/** The place where two texts part. */
function sample({ a, b }: { a: unknown; b: unknown }): string {
  const [left, right] = [textOf(a), textOf(b)]
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  const from = Math.max(at - 12, 0)
  return `${quote(left.slice(from, from + 40))} then, ${quote(right.slice(from, from + 40))} now`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonString(value)
}
