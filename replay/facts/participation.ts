import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Receipt, Run, Step } from '../run.ts'

// What an agent does. Being configured, permitted or started is done to it.
const ACTS = new Set(['message', 'operation', 'model.input', 'approval', 'commitment'])

/** A receipt and the handoff it belongs to. */
export type Received = { handoff: Handoff; receipt: Receipt }

type Part = { receipts: Received[]; first: Step }

/** What the agent received before the step, in order. */
export function receivedBefore(run: Run, agent: string, step: Step): Received[] {
  return (partsOf(run).get(agent)?.receipts ?? []).filter(({ receipt }) => receipt.step < step)
}

/** The latest receipt of the agent before the step. */
export function latestReceipt(run: Run, agent: string | undefined, step: Step): Received | undefined {
  if (agent === undefined) return undefined
  return partsOf(run)
    .get(agent)
    ?.receipts.findLast(({ receipt }) => receipt.step < step)
}

/** True if the agent had a part in the run (spoke, acted or handed over) before the step. */
export function tookPartBefore(run: Run, agent: string | undefined, step: Step): boolean {
  const part = agent === undefined ? undefined : partsOf(run).get(agent)
  return part !== undefined && part.first < step
}

/** The step at which the agent joined: that of its first receipt if it did nothing before, else the beginning. */
export function joinedAt(run: Run, agent: string): Step {
  const part = partsOf(run).get(agent)
  const first = part?.receipts[0]?.receipt.step
  return part === undefined || first === undefined || part.first < first ? -1 : first
}

const partsOf = oncePerRun((run): Map<string, Part> => {
  const made = new Map<string, Part>()
  const partOf = (agent: string, step: Step): Part => {
    const part = made.get(agent) ?? { receipts: [], first: step }
    part.first = Math.min(part.first, step)
    made.set(agent, part)
    return part
  }
  let latest: string | undefined
  run.events.forEach(({ agent, kind }, step) => {
    // Only the first of many acts in a row can tell anything new.
    if (agent === latest || typeof agent !== 'string' || !ACTS.has(kind)) return
    partOf(agent, step)
    latest = agent
  })
  for (const handoff of run.handoffs) {
    if (handoff.sent !== undefined && handoff.from !== undefined) {
      partOf(handoff.from, handoff.sent.step)
    }
    for (const receipt of handoff.receipts) {
      if (receipt.by !== undefined) partOf(receipt.by, receipt.step).receipts.push({ handoff, receipt })
    }
  }
  for (const part of made.values()) {
    part.receipts.sort((a, b) => a.receipt.step - b.receipt.step)
  }
  return made
})
