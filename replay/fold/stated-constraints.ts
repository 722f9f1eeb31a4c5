import { constraintHash, normaliseText } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run, Sent } from '../run.ts'

const REVOKED = new Set([
  'revoked',
  'lifted',
  'ended',
  'withdrawn',
  'removed',
  'expired',
  'inactive',
  'closed',
])

/** True if the word says that a rule binds nobody any more. */
export function isRevokedWord(state: unknown): boolean {
  return typeof state === 'string' && REVOKED.has(state.toLowerCase())
}

type Stated = { id?: string | undefined; text: string; check?: unknown; hash?: string | undefined }

/**
 * Not every runtime logs a rule as an event. One that only stands in a sender's record, or as an item of its own, is known
 * from there, as told to that sender; a rule that the log knows already is not repeated.
 */
export function foldStatedConstraints(run: Run, from: string | undefined, sent: Sent): void {
  for (const { id, text, check, hash } of statedConstraints(sent)) {
    const name = id ?? text
    if (name === '' || isKnown(run, name, text, hash)) continue
    const rule = { text, check, hash: constraintHash({ text, check }) }
    const event = { run: run.id, kind: 'constraint' as const, id: name, text, agent: from, stated: true }
    const versions = [{ step: sent.step, value: { active: true, ...rule, event } }]
    run.constraints.set(name, { id: name, ...rule, versions })
    noteConstraint(run, text, rule.hash)
  }
}

function statedConstraints({ record, items }: Sent): Stated[] {
  const inRecord = (record?.constraints ?? []).flatMap(({ id, text = '', check, hash, state }) =>
    isRevokedWord(state) ? [] : [{ id, text, check, hash }],
  )
  const inItems = (items ?? []).flatMap(({ type, raw, text, id }) => {
    if (type !== 'constraint' || !isObject(raw) || isRevokedWord(raw.state)) return []
    return [{ id: textOf(raw.constraint) ?? id, text: textOf(raw.text) ?? text, check: raw.check }]
  })
  return [...inRecord, ...inItems]
}

// A rule stands in the record of every handoff; whether it is known has to be a look-up.
const known = oncePerRun(() => new Set<string>())

function isKnown(run: Run, name: string, text: string, hash: string | undefined): boolean {
  return run.constraints.has(name) || namesOf(text, hash).some((each) => known(run).has(each))
}

/** To be called with each text that a rule of the run has had. */
export function noteConstraint(run: Run, text: string, hash: string): void {
  for (const name of namesOf(text, hash)) known(run).add(name)
}

function namesOf(text: string, hash: string | undefined): string[] {
  const plain = normaliseText(text)
  return [...(plain === '' ? [] : [`text ${plain}`]), ...(hash === undefined ? [] : [`hash ${hash}`])]
}
