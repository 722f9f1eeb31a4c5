import { handOver } from './handing-over.ts'
import type { Item } from './item-forms.ts'
import type { Stage } from './stage.ts'

/** Ways to hand over, each sound. */

const isMessage = ({ type }: Item) => type === 'message' || type === 'file'

/** The task goes to a colleague, with all that was said or without what the tools left. */
export function transfer(stage: Stage): void {
  // Going round without anything new would be a fault of its own.
  if (!stage.moved) return
  const to = stage.other()
  const call = stage.next('call_')
  const tool = `transfer_to_${to}`
  stage.history.push({ id: stage.next('i'), type: 'tool_call', call, tool, args: {}, author: stage.owner })
  stage.history.push({ id: stage.next('i'), type: 'tool_result', call, tool, content: 'ok' })
  const way = stage.random.between(0, 3)
  if (way === 0) {
    const policy = { filter: 'remove-tools', history: 'full' }
    handOver(stage, { mode: 'transfer', to, items: stage.history.filter(isMessage), more: { policy, call } })
  } else if (way === 1 && stage.style.ids && stage.style.form === 'plain') summarised(stage, to)
  else handOver(stage, { mode: 'transfer', to, more: { policy: { history: 'full' }, call } })
  stage.say('assistant', `${to} here, I go on with ${stage.next('p')}.`)
}

/** A summary stands for all but the last request. */
function summarised(stage: Stage, to: string): void {
  const last = stage.history.findLast(({ role }) => role === 'user')
  const covered = stage.history.filter((item) => item !== last && item.type !== 'file')
  const content = `So far: ${covered.length} steps, the last of them ${stage.next('s')}.`
  const summary: Item = {
    id: stage.next('s'),
    type: 'summary',
    role: 'assistant',
    content,
    covers: covered.map(({ id }) => id),
  }
  const kept = stage.history.filter((item) => item === last || item.type === 'file')
  const policy = { history: 'nested-summary' }
  handOver(stage, { mode: 'transfer', to, items: [summary, ...kept], more: { policy } })
}

/** A helper gets a brief, works, and gives its answer back; the caller goes on with its own history. */
export function delegate(stage: Stage, depth = 0): void {
  const caller = stage.owner
  const history = stage.history
  const brief = `Find out about ${stage.next('topic-')} and report back.`
  const helper = stage.other()
  handOver(stage, {
    mode: 'delegate',
    to: helper,
    reason: brief,
    items: [briefItem(stage, brief)],
    more: { brief },
  })
  stage.perform(stage.newCall(false))
  if (stage.random.chance(0.4)) stage.perform(stage.newCall(true))
  if (depth === 0 && stage.random.chance(0.3)) delegate(stage, 1)
  giveBack(stage, caller, history, brief)
}

export function briefItem(stage: Stage, brief: string): Item {
  return { id: stage.next('b'), type: 'message', role: 'user', content: brief }
}

export function giveBack(stage: Stage, caller: string, history: readonly Item[], brief: string): Item {
  const content = `Answer to: ${brief}`
  const answer = { id: stage.next('a'), type: 'message', role: 'assistant', author: stage.owner, content }
  stage.history.push(answer)
  handOver(stage, { mode: 'return', to: caller, reason: 'report', items: [...history, answer] })
  stage.moved = true
  return answer
}

/** Two helpers at once, each with a brief of its own, while the caller goes on. */
export function parallelHelpers(stage: Stage): void {
  stage.settle()
  const caller = stage.owner
  const history = [...stage.history]
  const first = stage.other()
  const second = stage.other(first)
  const briefs = [first, second].map((helper) => {
    const brief = `Look into ${stage.next('topic-')}.`
    stage.owner = caller
    stage.history = history
    handOver(stage, {
      mode: 'delegate',
      to: helper,
      reason: brief,
      items: [briefItem(stage, brief)],
      more: { brief },
    })
    return { helper, brief }
  })
  for (const { helper } of briefs) {
    stage.owner = helper
    stage.history = []
    stage.perform(stage.newCall(false))
  }
  let known = history
  for (const { helper, brief } of briefs) {
    stage.owner = helper
    stage.history = []
    const answer = giveBack(stage, caller, known, brief)
    known = [...known, answer]
    stage.history = known
  }
}

export function resume(stage: Stage): void {
  handOver(stage, {
    mode: 'resume',
    to: stage.owner,
    reason: 'next turn',
    more: { checkpoint: stage.next('cp-') },
  })
}

/** The process ends and another takes up from what was stored: nothing is missing. */
export function resumeAfterCrash(stage: Stage): void {
  stage.settle()
  stage.write('process.crash', { agent: stage.owner, note: 'killed' })
  handOver(stage, { mode: 'resume', to: stage.owner, reason: 'restart' })
}

/** A person takes over, answers, and hands back. */
export function escalate(stage: Stage): void {
  if (!stage.moved) return
  const bot = stage.owner
  const person = 'human:anna'
  handOver(stage, { mode: 'escalate', to: person, reason: `asked for a person (${stage.next('w')})` })
  stage.say('assistant', `Anna here, about ${stage.next('p')}.`)
  stage.say('user', `Thank you, that is all on ${stage.next('w')}.`)
  handOver(stage, { mode: 'transfer', to: bot, reason: `done with ${stage.next('w')}` })
}

/** A notice that something in the background has ended. */
export function notify(stage: Stage): void {
  const owner = stage.owner
  const from = stage.other()
  const note: Item = {
    id: stage.next('n'),
    type: 'note',
    content: `job ${stage.next('j')} ended`,
    origin: { kind: 'framework' },
  }
  const handoff = stage.next('h')
  stage.write(
    'handoff.sent',
    { handoff, mode: 'notify', from, to: owner, reason: 'ended', items_before: [] },
    from,
  )
  stage.write('handoff.received', { handoff, mode: 'notify', by: owner, items: [note] })
}

/** A reviewer is asked, says yes, and the write that was asked about runs. */
export function review(stage: Stage): void {
  stage.settle()
  const caller = stage.owner
  const history = stage.history
  const call = stage.newCall(true)
  const reviewer = stage.other()
  const brief = `Approve ${call.tool} for ${call.args.ref}.`
  const more = { brief, requested_action: 'approve', ack_due: stage.now(600_000) }
  const handoff = handOver(stage, {
    mode: 'delegate',
    to: reviewer,
    reason: brief,
    items: [briefItem(stage, brief)],
    more,
  })
  stage.write('handoff.verdict', { handoff, by: reviewer, verdict: 'approve' })
  giveBack(stage, caller, history, brief)
  stage.perform(call)
}
