import { textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { readPrincipal } from '../../model/principal.ts'
import { bytesOf } from '../../model/sizes.ts'
import type { Finding, NotJudged } from '../../replay/finding.ts'
import type { Run } from '../../replay/run.ts'
import type { Row } from '../table.ts'
import { jsonText, timestampMicros } from '../table.ts'

/** `run` and `handoff` are the rows of what it is about: what it is counted by is copied from them. */
export function findingRow(finding: Finding, run: Row, handoff: Row | undefined): Row {
  return {
    run: finding.run,
    handoff: finding.handoff,
    attempt: finding.attempt,
    check_id: finding.check,
    severity: finding.severity,
    agents: finding.agents,
    subject_kind: finding.subject.kind,
    subject: finding.subject.id,
    message: finding.message,
    evidence: jsonText(finding.evidence),
    remedy: finding.remedy,
    attribution: finding.attribution,
    fingerprint: finding.fingerprint,
    time: handoff?.sent_at ?? handoff?.received_at ?? run.started_at,
    pair: handoff?.pair,
    framework: handoff?.framework,
    style: handoff?.style,
  }
}

export function notJudgedRow(gap: NotJudged): Row {
  return { run: gap.run, handoff: gap.handoff, check_id: gap.check, reason: gap.reason }
}

export function messageRow(run: Run, { step, event }: Run['messages'][number]): Row {
  const origin = readPrincipal(event.origin)
  return {
    run: run.id,
    step,
    time: timestampMicros(event.at),
    message: event.id,
    agent: textOf(event.agent),
    role: event.role,
    channel: event.channel,
    origin_kind: origin?.kind,
    verified:
      isObject(event.origin) && typeof event.origin.verified === 'boolean' ? event.origin.verified : null,
    bytes: bytesOf(event.content),
    text: textOfContent(event.content),
  }
}
