import { canonicalJson, normaliseText } from '../../model/hash.ts'
import type { Item } from '../../model/items.ts'
import { isObject, listOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import type { Evidence, HandoffDiff } from '../diff/handoff-diff.ts'
import { answersOf } from '../diff/results.ts'
import { isAllQuestions } from '../facts/dialogue.ts'
import { readPolicy } from '../facts/policy.ts'
import { Reading } from '../facts/readings.ts'
import { handsOver } from '../facts/tool-names.ts'
import type { Draft } from '../finding.ts'
import { valueAt } from '../history.ts'
import { missingSenders } from '../not-judged.ts'
import { aboutHandoff, bothSides, listed, quote, receiverOf } from '../phrase.ts'
import type { Receipt, Run } from '../run.ts'
import { containsValue } from '../text.ts'

export const evidenceMissing: Check = {
  id: 'evidence-missing',
  severity: 'warning',
  title: 'A conclusion crossed without what it rests on',
  question: 'Can the receiver check what it is told?',
  definition:
    'Raised when the evidence of the sender’s record is not in the one that the receiver got; when a record says that work is ' +
    'done, names no evidence, and no result of the sender crossed; when the last words before a transfer, an escalation or a resume crossed and the results ' +
    'that they follow did not (a question that quotes nothing of them concludes nothing); and when an item that says on which call it rests crossed ' +
    'without the result of that call. Results that a declared filter removes, and a report back in other words, are no finding.',
  needsWholePayload: true,
  searchesWordsOf: 'agents',
  check({ run, diffs }) {
    return {
      findings: diffs.flatMap((diff) => missingEvidence(run, diff)),
      notJudged: missingSenders(diffs),
    }
  },
}

type Gap = { words: string; trait: string; evidence: Evidence[] }

function missingEvidence(run: Run, diff: HandoffDiff): Draft[] {
  if (!diff.complete || diff.handoff.mode === 'notify') return []
  const gap =
    lostReferences(diff) ?? unbackedStatus(diff) ?? unbackedItems(diff) ?? unbackedConclusion(run, diff)
  if (gap === undefined) return []
  return [
    {
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'evidence', id: gap.trait },
      message: `${gap.words} ${receiverOf(diff.handoff)} can neither check nor quote it, and has to believe it or do the work again.`,
      evidence: [...gap.evidence, ...bothSides(diff)],
      remedy:
        'Carry the result or a reference to it: record evidence [{ref, summary}], or completed_effects.',
      trait: gap.trait,
    },
  ]
}

/** The sender's record had references, and the receiver has none of them. */
function lostReferences({ sent, receipt }: HandoffDiff): Gap | undefined {
  const before = listOf(sent?.record?.raw.evidence)
  if (before.length === 0) return undefined
  const crossed = new Reading(
    jsonString([receipt!.event.record ?? null, receipt!.event.items ?? [], receipt!.instructions ?? '']),
  )
  const after = new Set(listOf(receipt!.record?.raw.evidence).map(canonicalJson))
  const lost = before.filter(
    (entry) =>
      !after.has(canonicalJson(entry)) &&
      !crossed.holds(normaliseText(jsonString(referenceOf(entry)).slice(1, -1))),
  )
  if (lost.length === 0) return undefined
  return {
    words: `The sender's record names ${listed(lost.map((entry) => quote(referenceOf(entry))))} as evidence, which did not cross.`,
    trait: 'record.evidence',
    evidence: [{ step: sent!.step, side: 'sender', path: 'record.evidence' }],
  }
}

function referenceOf(entry: unknown): string {
  if (typeof entry === 'string') return entry
  const reference = isObject(entry) ? (entry.ref ?? entry.id ?? entry.summary) : undefined
  return typeof reference === 'string' ? reference : jsonString(entry)
}

/** A record that says what is done, out of calls of which nothing crossed. */
function unbackedStatus(diff: HandoffDiff): Gap | undefined {
  const { receipt, operations } = diff
  const record = receipt!.record
  const status = record?.raw.status
  const done = isObject(status) ? listOf(status.done ?? status.completed) : []
  if (record === undefined || done.length === 0 || listOf(record.raw.evidence).length > 0) return undefined
  const settled = operations.filter(
    ({ version }) => version.state === 'settled' && version.result !== undefined,
  )
  if (settled.length === 0 || record.completedEffects.length > 0 || removesResults(diff)) return undefined
  if ((receipt!.items ?? []).some(holdsResult)) return undefined
  if (settled.some(({ version }) => mentions(receipt!, version.result))) return undefined
  return {
    words: `The record says that ${quote(String(done[0]))} is done, but names no evidence, and no result of a call crossed.`,
    trait: 'record.status',
    evidence: [{ step: receipt!.step, side: 'receiver', path: 'record.status' }],
  }
}

function holdsResult(item: Item): boolean {
  return item.type === 'tool_result' || item.type === 'file' || /_call$/u.test(item.type)
}

function mentions(receipt: Receipt, result: unknown): boolean {
  const text = typeof result === 'string' ? result : jsonString(result)
  return (receipt.items ?? []).some((item) => text.length > 2 && item.text.includes(text))
}

function removesResults({ sent }: HandoffDiff): boolean {
  return readPolicy(sent!.event.policy, sent!.items ?? []).removesTools
}

const RESTS_ON = [
  'rests_on',
  'based_on',
  'basis',
  'evidence',
  'refs',
  'cites',
  'supports',
  'sources',
  'op',
  'ops',
]

/** Statements that name the calls behind them, whose results the sender had and the receiver has not. */
function unbackedItems(diff: HandoffDiff): Gap | undefined {
  const { sent, receipt, handoff } = diff
  if (handoff.mode === 'return' || receipt!.items === undefined || sent!.items === undefined) return undefined
  if (removesResults(diff)) return undefined
  for (const item of receipt!.items) {
    if (item.type !== 'message' && item.type !== 'summary' && item.type !== 'note') continue
    const names = restsOn(item)
    if (names.length === 0) continue
    const results = sent!.items.filter((other) => isResultOf(other, names))
    if (results.length === 0 || backs(receipt!, names, results)) continue
    return {
      words: `${quote(item.text)} (${item.path}) rests on ${listed(names)}, whose result did not cross.`,
      trait: results[0]!.tool ?? 'item',
      evidence: [
        { step: sent!.step, side: 'sender', path: results[0]!.path },
        { step: receipt!.step, side: 'receiver', path: item.path },
      ],
    }
  }
  return undefined
}

/** What calls of the sender found out: results of calls that settled, and of calls that only the items tell of. */
function findings(run: Run, { sent }: HandoffDiff): ReadonlySet<Item> {
  const found = answersOf(run, sent!).filter(({ item, call, operation }) => {
    if (operation !== undefined) return valueAt(operation, sent!.step)?.state === 'settled'
    const tool = item.tool ?? call?.tool
    return tool !== undefined && item.text !== '' && !handsOver(tool, item.call, run.handoffs)
  })
  return new Set(found.map(({ item }) => item))
}

/** The sender's last words, said right after calls that found something, crossed; of their results nothing did. */
function unbackedConclusion(run: Run, diff: HandoffDiff): Gap | undefined {
  const { sent, receipt, handoff, items } = diff
  const goesOn = handoff.mode === 'transfer' || handoff.mode === 'escalate' || handoff.mode === 'resume'
  if (!goesOn || !items.judged || removesResults(diff)) return undefined
  const last = sent!.items!.findLastIndex(({ type, role }) => type === 'message' && role === 'assistant')
  const conclusion = sent!.items![last]
  if (conclusion === undefined) return undefined
  const start = sent!.items!.slice(0, last).findLastIndex(({ type }) => type === 'message') + 1
  const found = findings(run, diff)
  const results = sent!.items!.slice(start, last).filter((item) => found.has(item))
  const crossed = items.fates.find(({ before, fate }) => before === conclusion && fate === 'kept')?.after
  if (crossed === undefined || results.length === 0) return undefined
  if (isAllQuestions(conclusion.text) && !quotes(conclusion.text, results)) return undefined
  const names = results.flatMap(({ op, call, id }) => [op, call, id].filter((name) => name !== undefined))
  if (backs(receipt!, names, results)) return undefined
  return {
    words: `${quote(conclusion.text)} (${crossed.path}) was concluded from ${listed(results.map(({ tool, call }) => tool ?? call ?? 'a call'))}, whose result did not cross.`,
    trait: results[0]!.tool ?? 'item',
    evidence: [
      { step: sent!.step, side: 'sender', path: results[0]!.path },
      { step: receipt!.step, side: 'receiver', path: crossed.path },
    ],
  }
}

/** A number or id in the words stands in a result. */
function quotes(words: string, results: readonly Item[]): boolean {
  const tokens = words.match(/[\p{L}\p{N}](?:[^\s,;:?!]*[\p{L}\p{N}])?/gu) ?? []
  const figures = tokens.filter((token) => /\p{N}/u.test(token))
  return figures.some((figure) => results.some(({ text }) => containsValue(text, figure)))
}

function restsOn({ raw, role }: Item): string[] {
  if (!isObject(raw) || role === 'user') return []
  const names: string[] = []
  for (const field of RESTS_ON) {
    if (raw[field] === undefined) continue
    for (const value of [raw[field]].flat()) {
      const name = isObject(value) ? (value.ref ?? value.op ?? value.call ?? value.id) : value
      if (typeof name === 'string' && name !== '') names.push(name)
    }
  }
  return names
}

function isResultOf(item: Item, names: readonly string[]): boolean {
  if (item.type !== 'tool_result' && item.type !== 'file') return false
  return [item.op, item.call, item.id].some((name) => name !== undefined && names.includes(name))
}

/** The result itself, its text in another item, or its entry in the record. */
function backs(receipt: Receipt, names: readonly string[], results: readonly Item[]): boolean {
  if (receipt.items!.some((item) => isResultOf(item, names))) return true
  const record = jsonString(receipt.event.record ?? null)
  return results.some(
    ({ text, op, call }) =>
      [op, call].some((name) => name !== undefined && record.includes(jsonString(name))) ||
      (text.length > 2 && (record.includes(text) || receipt.items!.some((item) => item.text.includes(text)))),
  )
}
