import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { type Attachment, attachmentsOf, isNamesake, mayBeSame } from '../facts/attachments.ts'
import { receivedBefore } from '../facts/participation.ts'
import { isPlumbing } from '../facts/plumbing.ts'
import { readPolicy } from '../facts/policy.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, listed, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'
import { containsValue, payloadTexts } from '../text.ts'

export const attachmentDropped: Check = {
  id: 'attachment-dropped',
  severity: 'warning',
  title: 'A file did not cross',
  question: 'Did the files, images and recordings cross that the conversation rests on?',
  definition:
    "Raised for a file, image or recording among the sender's items (alone or as a part of a message) that is neither among " +
    "the receiver's items nor referred to in its record, although messages of the sender's crossed or the words that " +
    'crossed name it. Not raised where the policy excludes it, a summary covers it, the receiver had it before, or a tool ' +
    'made it. Files are known by hash, id, address, content or name; where these cannot be compared, as after an upload, a ' +
    'file in the same place of the same message is taken for it.',
  needsWholePayload: true,
  check({ run, diffs }) {
    return { findings: diffs.flatMap((diff) => droppedFiles(run, diff)) }
  },
}

function droppedFiles(run: Run, diff: HandoffDiff): Draft[] {
  const { sent, receipt, handoff } = diff
  if (sent?.items === undefined || receipt?.items === undefined || handoff.mode === 'notify') return []
  const files = attachmentsOf(sent.items).filter(({ item }) => !isPlumbing(item))
  if (files.length === 0) return []
  const policy = readPolicy(sent.event.policy, sent.items)
  const folded = new Set(diff.items.fates.flatMap(({ fate, before }) => (fate === 'folded' ? [before] : [])))
  const crossed = inPayload(diff)
  const missing = files.filter(
    (file) =>
      !crossed(file) &&
      policy.excludes(file.item) === undefined &&
      policy.summarises === undefined &&
      !folded.has(file.item) &&
      (messagesCrossed(diff) || isNamed(file, diff)),
  )
  if (missing.length === 0) return []
  const known = knownBefore(run, diff)
  const wanted = missing.filter((file) => !known.has(file.identity) && !isGivenAnew(file, diff))
  return wanted.length === 0 ? [] : [droppedDraft(diff, wanted)]
}

function inPayload({ receipt }: HandoffDiff): (file: Attachment) => boolean {
  const files = attachmentsOf(receipt!.items!)
  const identities = new Set(files.map(({ identity }) => identity))
  const record = jsonString(receipt!.event.record ?? '')
  return (file) =>
    identities.has(file.identity) ||
    [file.identity, file.name].some((word) => containsValue(record, word)) ||
    files.some((other) => isNamesake(file, other))
}

/** The message crossed with another file in its place, which may be the same one uploaded or read in. */
function isGivenAnew(file: Attachment, { items }: HandoffDiff): boolean {
  const after = items.fates.find(({ before }) => before === file.item)?.after
  if (after === undefined) return false
  const [there, here] = [attachmentsOf([file.item]), attachmentsOf([after])]
  const without = (files: Attachment[], others: Attachment[]) =>
    files.filter(({ identity }) => !others.some((other) => other.identity === identity))
  const place = without(there, here).findIndex(({ identity }) => identity === file.identity)
  const other = without(here, there)[place]
  return other !== undefined && mayBeSame(file, other)
}

/** Files that the receiver had before: it got them earlier, or passed them on itself. */
function knownBefore(run: Run, { receipt }: HandoffDiff): Set<string> {
  const { by, step } = receipt!
  if (by === undefined) return new Set()
  const earlier = receivedBefore(run, by, step).map((one) => one.receipt.items)
  const own = run.handoffs.flatMap(({ from, sent }) =>
    from === by && sent !== undefined && sent.step < step ? [sent.items] : [],
  )
  return new Set(
    [...earlier, ...own].flatMap((items) => attachmentsOf(items ?? []).map(({ identity }) => identity)),
  )
}

function messagesCrossed({ items }: HandoffDiff): boolean {
  return items.fates.some(({ before, after }) => before?.type === 'message' && after !== undefined)
}

/** Words that hold its address, or the path to it, pass on a reference and not only a name. */
function isNamed({ name, identity, by }: Attachment, { receipt }: HandoffDiff): boolean {
  const texts = payloadTexts(receipt!).map(({ text }) => text)
  const isReferred =
    by === 'address' && texts.some((text) => text.includes(identity) || text.includes(`/${name}`))
  return !isReferred && texts.some((text) => containsValue(text, name))
}

function droppedDraft(diff: HandoffDiff, files: readonly Attachment[]): Draft {
  const { sent, handoff } = diff
  const many = files.length > 1
  return {
    ...aboutHandoff(handoff),
    subject: { kind: 'item', id: files[0]!.item.id ?? files[0]!.item.path },
    message:
      `${listed(files.map(({ name, item }) => `${name} (${item.path})`))} ${many ? 'were' : 'was'} at ${handoff.from ?? 'the sender'} and ` +
      `did not reach ${receiverOf(handoff)}, though the words about ${many ? 'them' : 'it'} did. It answers without having seen ${many ? 'them' : 'it'}.`,
    evidence: [
      ...files.map(({ item }) => ({ step: sent!.step, path: item.path, side: 'sender' as const })),
      ...bothSides(diff).slice(1),
    ],
    remedy: 'Pass the file on, or a reference to it in the record: evidence [{ref, summary}].',
    trait: files[0]!.item.type,
  }
}
