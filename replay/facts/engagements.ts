import { textOf } from '../../model/json.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import type { Handoff, Run, Step } from '../run.ts'
import { tookPartBefore } from './participation.ts'
import { stepsOf } from './steps-by-kind.ts'
import { asksForVerdict } from './verdicts.ts'

/**
 * From a step on the agent has no task any more: it gave it away with this handoff. `until` is when it got one again, `given`
 * when it sent the handoff, unless it got another task between that and the receipt.
 */
export type Disengaged = { agent: string; given?: Step; from: Step; until: Step; handoff: Handoff }

type Change = { step: Step; apply: () => void }

/**
 * The times in which an agent had nothing left to do: from the receipt of a handoff that passes control until it gets a
 * task again (any handoff to it, a decline, a failure, a verdict, a new session). A helper may have several tasks at
 * once; handing one back leaves it the others.
 */
export function disengagements(run: Run): Disengaged[] {
  const tasks = new Map<string, number>()
  const engaged = new Map<string, Step>()
  const open = new Map<string, Disengaged>()
  const done: Disengaged[] = []
  const engage = (agent: string | undefined, step: Step, add = false) => {
    if (agent === undefined) return
    // Whoever acted before it received anything began the run, which is a task.
    const held = tasks.get(agent) ?? (tookPartBefore(run, agent, step) ? 1 : 0)
    tasks.set(agent, add ? held + 1 : Math.max(held, 1))
    engaged.set(agent, step)
    const idle = open.get(agent)
    if (idle === undefined) return
    idle.until = step
    open.delete(agent)
  }
  const release = (agent: string | undefined, step: Step, handoff: Handoff) => {
    if (agent === undefined) return
    const left = Math.max((tasks.get(agent) ?? 1) - 1, 0)
    tasks.set(agent, left)
    if (left > 0 || open.has(agent)) return
    const given = handoff.sent?.step
    const isLast = given !== undefined && given > (engaged.get(agent) ?? -1)
    const idle = { agent, ...(isLast && { given }), from: step, until: run.events.length, handoff }
    open.set(agent, idle)
    done.push(idle)
  }
  for (const change of changesOf(run, engage, release)) change.apply()
  return done
}

/** Whoever asks a higher one for a yes or a no keeps the task, and goes on with the answer. */
function isReview(handoff: Handoff): boolean {
  return handoff.mode === 'escalate' && asksForVerdict(handoff)
}

function changesOf(
  run: Run,
  engage: (agent: string | undefined, step: Step, add?: boolean) => void,
  release: (agent: string | undefined, step: Step, handoff: Handoff) => void,
): Change[] {
  const changes: Change[] = []
  const at = (step: Step, apply: () => void) => changes.push({ step, apply })
  for (const handoff of run.handoffs) {
    const { from, receipts, mode } = handoff
    const first = receipts[0]
    if (first !== undefined) {
      at(first.step, () => {
        if (passesControl(handoff) && from !== first.by && !isReview(handoff))
          release(from, first.step, handoff)
        engage(first.by, first.step, mode === 'delegate')
      })
    }
    for (const again of receipts.slice(1)) at(again.step, () => engage(again.by, again.step))
    const backs = [handoff.declined, handoff.failed, handoff.deadLettered, ...handoff.verdicts]
    for (const back of backs) if (back !== undefined) at(back.step, () => engage(from, back.step))
  }
  for (const step of stepsOf(run, 'session.created'))
    at(step, () => engage(textOf(run.events[step]!.agent), step))
  // A turn of the user's that is given to the agent is work for it.
  for (const { step, event } of run.messages)
    if (event.role === 'user') at(step, () => engage(event.agent, step))
  return changes.sort((a, b) => a.step - b.step)
}
