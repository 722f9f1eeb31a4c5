import type { TokenCounter } from '../../model/tokens.ts'
import { firstStep } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Run } from '../run.ts'
import type { Detector } from '../settings.ts'
import { payloadTexts } from '../text.ts'
import { diffApprovals } from './approvals.ts'
import { diffCommitments } from './commitments.ts'
import { diffConstraints } from './constraints.ts'
import { diffContract } from './contract.ts'
import { diffCorrelation } from './correlation.ts'
import { detectLeaks } from './detected.ts'
import type { HandoffDiff } from './handoff-diff.ts'
import { diffItems } from './items.ts'
import { findLeaks } from './leaks.ts'
import { diffOperations, settledLeftOut } from './operations.ts'
import { diffOrigin } from './origin.ts'
import { diffPermissions } from './permissions.ts'
import { diffSettling } from './settling.ts'
import { diffSizes } from './sizes.ts'

/** The sender's operations log against the receiver's payload, for one attempt of one handoff. */
export function diffHandoff(
  run: Run,
  handoff: Handoff,
  tokens: TokenCounter,
  detectors: readonly Detector[] = [],
): HandoffDiff {
  const { sent } = handoff
  const receipt = handoff.receipts[0]
  const base = {
    handoff,
    sent,
    receipt,
    contract: diffContract(sent?.record, receipt?.record),
    sizes: diffSizes(sent, receipt, tokens),
  }
  if (receipt === undefined) {
    return { ...base, ...nothingCrossed(), complete: false }
  }
  const texts = payloadTexts(receipt)
  const origin = diffOrigin(run, handoff, sent, receipt)
  const permissions = diffPermissions(run, handoff, sent, receipt)
  const marked = withSensitiveValues(run).filter((operation) => firstStep(operation) <= receipt.step)
  const leaks = [
    ...findLeaks(marked, sent?.items, receipt, texts),
    ...detectLeaks(detectors, run, sent?.items, receipt, texts),
  ]
  const approvals = sent === undefined ? [] : diffApprovals(run, handoff, sent, receipt, texts)
  const items = diffItems(run, handoff, receipt, leaks, approvals)
  if (sent === undefined) return { ...base, ...nothingCrossed(), origin, permissions, items, complete: false }
  const operations = diffOperations(run, handoff, sent, receipt, texts)
  return {
    ...base,
    complete: true,
    operations,
    settledLeftOut: settledLeftOut(run, handoff, sent, operations),
    approvals,
    constraints: diffConstraints(run, handoff, sent, receipt),
    commitments: diffCommitments(run, handoff, sent, receipt),
    origin,
    permissions,
    correlation: diffCorrelation(run, handoff, sent, receipt),
    items,
    settling: diffSettling(run, operations, sent, receipt),
  }
}

const withSensitiveValues = oncePerRun((run) =>
  [...run.operations.values()].filter(({ sensitive }) => sensitive.length > 0),
)

/** With one side missing nothing is compared, and nothing is said. */
function nothingCrossed(): Omit<
  HandoffDiff,
  'handoff' | 'sent' | 'receipt' | 'contract' | 'sizes' | 'complete'
> {
  return {
    operations: [],
    settledLeftOut: 0,
    approvals: [],
    constraints: [],
    commitments: [],
    origin: { verdict: 'not judged', escalations: [] },
    permissions: { gained: [], lost: [] },
    correlation: { trace: 'not judged', task: 'not judged' },
    items: { judged: false, fates: [], leaks: [], droppedByType: {} },
    settling: [],
  }
}
