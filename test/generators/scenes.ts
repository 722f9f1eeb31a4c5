import { handOver } from './handing-over.ts'
import type { Item } from './item-forms.ts'
import {
  delegate,
  escalate,
  notify,
  parallelHelpers,
  resume,
  resumeAfterCrash,
  review,
  transfer,
} from './scenes-of-handoffs.ts'
import type { Stage } from './stage.ts'

/*
 * What happens in an ordinary run, one scene a turn. Every scene is sound: nothing is lost, repeated, leaked or left open
 * when it ends, or what is left open crosses with the next handoff and is settled there.
 */

export type Scene = (stage: Stage) => void

const WISHES = [
  'Please reserve the parts and bill me.',
  'How much is it, and when does it arrive?',
  '在庫を確認してください。',
  'Bitte Rechnung schicken.',
  'Отправьте счёт, пожалуйста.',
  'أرسل الفاتورة من فضلك',
  'ok',
  'yes',
  'And the other one, please.',
]

export const userSpeaks: Scene = (stage) => {
  const { random } = stage
  stage.say(
    'user',
    random.chance(0.5) ? random.pick(WISHES) : `Next: item ${random.between(100, 9999)}, please.`,
  )
}

/** People repeat themselves, and mean it. */
const userRepeats: Scene = (stage) => {
  const word = stage.random.pick(WISHES)
  stage.say('user', word)
  agentSpeaks(stage)
  stage.say('user', word)
}

export const agentSpeaks: Scene = (stage) => {
  stage.say('assistant', `I have looked at point ${stage.next('p')}.`)
}

export const read: Scene = (stage) => {
  stage.perform(stage.newCall(false))
}

/** The same agent asks again for fresh data, later. */
const readAgain: Scene = (stage) => {
  const first = stage.perform(stage.newCall(false))
  agentSpeaks(stage)
  stage.perform(stage.newCall(false, { tool: first.tool, args: first.args, result: `later ${first.result}` }))
}

const parallelCalls: Scene = (stage) => {
  const write = stage.random.chance(0.4)
  const calls = Array.from({ length: stage.random.between(2, 4) }, () => stage.newCall(write))
  for (const call of calls) stage.callItem(call)
  for (const call of calls) stage.operation(call, 'sent')
  // Answers come in any order.
  for (const call of stage.random.chance(0.5) ? calls : calls.toReversed()) stage.answer(call)
}

export const writeCall: Scene = (stage) => {
  stage.perform(stage.newCall(true))
}

/** No answer came, so the call leaves again under the key that it had. */
const retry: Scene = (stage) => {
  const call = stage.newCall(true)
  stage.callItem(call)
  stage.operation(call, 'sent', { attempt: 1 })
  stage.operation(call, 'unknown', { attempt: 1 })
  stage.operation(call, 'sent', { attempt: 2 })
  stage.answer(call, { attempt: 2 })
}

/** A refusal before any effect, and a new attempt that is a call of its own. */
const failsAndIsDoneAnew: Scene = (stage) => {
  const call = stage.newCall(true)
  stage.callItem(call)
  stage.operation(call, 'sent')
  stage.operation(call, 'failed', { error: 'out of stock' })
  stage.resultItem(call, 'error: out of stock')
  stage.say('user', `Then take the other one, ${stage.next('w')}.`)
  writeCall(stage)
}

const approvedCall: Scene = (stage) => {
  const call = stage.newCall(true)
  stage.callItem(call)
  stage.operation(call, 'proposed')
  const id = stage.next('ap-')
  const approval = { id, action: call.tool, scope: call.args, for: call.op, agent: stage.owner }
  stage.write('approval', { ...approval, state: 'pending' })
  stage.write('approval', {
    ...approval,
    state: 'approved',
    by: stage.principal.id,
    delivered_to: stage.owner,
  })
  stage.operation(call, 'sent', { approval: id })
  stage.answer(call, { approval: id })
  if (stage.random.chance(0.3)) stage.write('approval', { id, state: 'consumed' })
}

/** A person says no, and that is that. */
const refusedCall: Scene = (stage) => {
  const call = stage.newCall(true)
  stage.callItem(call)
  stage.operation(call, 'proposed')
  const id = stage.next('ap-')
  const approval = { id, action: call.tool, scope: call.args, for: call.op, agent: stage.owner }
  stage.write('approval', { ...approval, state: 'pending' })
  const answer = { state: 'rejected', by: stage.principal.id, reason: `not ${call.args.ref}, thank you` }
  stage.write('approval', { ...approval, ...answer, delivered_to: stage.owner })
  stage.resultItem(call, `refused by ${stage.principal.id}: ${answer.reason}`)
  stage.say('assistant', `I have left out ${call.args.ref}, as you wished.`)
}

/** A request whose reply was lost. It crosses with the next handoff, or is settled here. */
export const callInDoubt: Scene = (stage) => {
  const call = stage.newCall(true)
  stage.callItem(call)
  stage.operation(call, 'sent')
  stage.operation(call, 'unknown')
  stage.resultItem(call, 'error: no reply')
  stage.open.push(call)
  if (stage.random.chance(0.3)) stage.settle()
}

/** The agent goes on while the answer is under way. */
const lateAnswer: Scene = (stage) => {
  const call = stage.newCall(stage.random.chance(0.5))
  stage.callItem(call)
  stage.operation(call, 'sent')
  agentSpeaks(stage)
  read(stage)
  stage.answer(call)
}

const promise: Scene = (stage) => {
  const id = stage.next('cm-')
  const made = { id, text: `come back with an answer to ${id}`, agent: stage.owner }
  stage.write('commitment', { ...made, state: 'open' })
  stage.promises.push(made)
  if (stage.random.chance(0.5)) stage.keep(made)
}

const sharesFile: Scene = (stage) => {
  const name = `photo-${stage.next('f')}.jpg`
  stage.say('user', `See ${name}.`)
  const file: Item = {
    id: stage.next('i'),
    type: 'file',
    role: 'user',
    name,
    sha: `ab${stage.random.between(10, 99)}${name}`,
  }
  stage.history.push(file)
}

const asksModel: Scene = (stage) => {
  stage.write('model.input', { agent: stage.owner, items: stage.items(stage.history) })
}

const stores: Scene = (stage) => {
  const content = `what was said until ${stage.next('p')}, in full`
  stage.write('store.write', { agent: stage.owner, store: 'memory', key: stage.next('m'), content })
  stage.write('task.state', { task: stage.next('t'), agent: stage.owner, state: 'working' })
}

export const declareRule = (stage: Stage): void => {
  const id = stage.next('rule-')
  const rule = { id, text: `never promise a date before the parts of ${id} are checked` }
  stage.rules.push(rule)
  stage.write('constraint', { ...rule, scope: 'run', state: 'active' })
}

export const SCENES: readonly Scene[] = [
  userSpeaks,
  userSpeaks,
  userRepeats,
  agentSpeaks,
  read,
  read,
  readAgain,
  parallelCalls,
  writeCall,
  retry,
  failsAndIsDoneAnew,
  approvedCall,
  refusedCall,
  callInDoubt,
  lateAnswer,
  promise,
  sharesFile,
  asksModel,
  stores,
  transfer,
  transfer,
  delegate,
  delegate,
  parallelHelpers,
  resume,
  resumeAfterCrash,
  escalate,
  notify,
  review,
]

export { handOver }
