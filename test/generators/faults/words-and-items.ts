import { handOver } from '../handing-over.ts'
import type { Item } from '../item-forms.ts'
import type { Fields, Stage } from '../stage.ts'
import { type Fault, faultsOf, PLAIN } from './fault.ts'

const TOOL_ITEMS = new Set(['tool_call', 'tool_result'])

/** Hands over the history as `change` makes it. */
function pass(stage: Stage, change: (history: Item[]) => Item[], more: Fields = {}): void {
  handOver(stage, { mode: 'transfer', to: stage.other(), items: change([...stage.history]), more })
}

/** A read whose result holds a value that must not travel on. */
function secret(stage: Stage): string {
  const value = `tok-${stage.next('s')}-x9`
  const call = stage.newCall(false, { result: `the token is ${value}` })
  stage.callItem(call)
  stage.operation(call, 'sent')
  stage.answer(call, { sensitive: [value] })
  // Its result is no evidence to be carried.
  stage.done = stage.done.filter((other) => other !== call)
  return value
}

const withoutTools = (history: Item[]) => history.filter(({ type }) => !TOOL_ITEMS.has(String(type)))

const message = (stage: Stage, content: string): Item => ({
  id: stage.next('a'),
  type: 'message',
  role: 'assistant',
  author: stage.owner,
  content,
})

function file(stage: Stage, name: string): Item {
  const item = { id: stage.next('i'), type: 'file', role: 'user', name, sha: `cd${name}` }
  stage.say('user', `See ${name}, please.`)
  stage.history.push(item)
  return item
}

export const wordsAndItems: Fault[] = [
  ...faultsOf('sensitive-leaked', {
    'in prose that the filter keeps': (stage) => {
      const value = secret(stage)
      stage.history.push(message(stage, `I know the token now, ${value}.`))
      pass(stage, withoutTools, { policy: { filter: 'remove-tools' } })
    },
    'in the instructions of a redacted handoff': (stage) => {
      const value = secret(stage)
      handOver(stage, {
        mode: 'transfer',
        to: stage.other(),
        items: withoutTools(stage.history),
        more: { policy: { redact: true } },
        alter: ({ received }) => {
          received.instructions = `${received.instructions ?? ''} Use ${value}.`
        },
      })
    },
    'in a summary': {
      style: PLAIN,
      play: (stage) => {
        const value = secret(stage)
        const covers = stage.history.map(({ id }) => id)
        const content = `The user was told the token ${value}.`
        const summary = { id: stage.next('s'), type: 'summary', role: 'assistant', content, covers }
        pass(stage, () => [summary], { policy: { history: 'nested-summary' } })
      },
    },
  }),
  ...faultsOf('filter-not-applied', {
    'tools that were to go': (stage) => {
      stage.perform(stage.newCall(false))
      pass(stage, (history) => history, { policy: { filter: 'removeAllTools' } })
    },
    'more than the last words': (stage) => {
      for (let turn = 0; turn < 3; turn++) stage.say('user', `Point ${stage.next('x')} of my list.`)
      pass(stage, (history) => history, { policy: { history: 'last-2' } })
    },
    'what is not allowed': {
      style: PLAIN,
      play: (stage) => {
        stage.say('user', `Some other matter, ${stage.next('x')}.`)
        const { id } = stage.say('user', `The request, ${stage.next('x')}.`)
        pass(stage, (history) => history, { policy: { allows: [id] } })
      },
    },
  }),
  ...faultsOf('item-orphaned', {
    'a call without its result': (stage) => {
      const { op } = stage.perform(stage.newCall(false))
      pass(stage, (history) => history.filter(({ type, op: of }) => !(type === 'tool_result' && of === op)))
    },
    'a result without its call': (stage) => {
      const { op } = stage.perform(stage.newCall(true))
      pass(stage, (history) => history.filter(({ type, op: of }) => !(type === 'tool_call' && of === op)))
    },
    'reasoning without what it led to': {
      style: PLAIN,
      play: (stage) => {
        const call = stage.newCall(false)
        stage.history.push({ id: stage.next('r'), type: 'reasoning', needs: `call of ${call.op}` })
        stage.perform(call)
        Object.assign(stage.history.at(-2)!, { id: `call of ${call.op}` })
        pass(stage, withoutTools)
      },
    },
  }),
  ...faultsOf('item-duplicated', {
    'the same item twice': (stage) => {
      const said = stage.say('assistant', `The price of ${stage.next('x')} is forty.`)
      pass(stage, (history) => [...history, said])
      stage.history = stage.history.slice(0, -1)
    },
    'a call twice': (stage) => {
      const { op } = stage.perform(stage.newCall(false))
      pass(stage, (history) => [...history, ...history.filter((item) => item.op === op)])
    },
    'in a summary and raw': {
      style: PLAIN,
      play: (stage) => {
        stage.perform(stage.newCall(false))
        const covers = stage.history.map(({ id }) => id)
        const summary = {
          id: stage.next('s'),
          type: 'summary',
          role: 'assistant',
          content: 'All so far.',
          covers,
        }
        pass(stage, (history) => [summary, ...history.slice(-2)])
      },
    },
  }),
  ...faultsOf('item-reordered', {
    'a result before its call': (stage) => {
      stage.perform(stage.newCall(false))
      pass(stage, (history) => [...history.slice(0, -2), history.at(-1)!, history.at(-2)!])
    },
    'an answer before its question': {
      style: PLAIN,
      play: (stage) => {
        const asked = stage.say('user', `How much is ${stage.next('x')}?`)
        stage.say('assistant', `It is forty for ${stage.next('x')}.`)
        pass(stage, (history) => [...history.filter((item) => item !== asked), asked])
      },
    },
    'something between a call and its result': {
      style: PLAIN,
      play: (stage) => {
        const asked = stage.say('user', `What of ${stage.next('x')}?`)
        stage.perform(stage.newCall(false))
        pass(stage, (history) => [
          ...history.filter((item) => item !== asked).slice(0, -1),
          asked,
          history.at(-1)!,
        ])
      },
    },
  }),
  ...faultsOf('attachment-dropped', {
    'the message without its file': (stage) => {
      const item = file(stage, `scan-${stage.next('f')}.pdf`)
      pass(stage, (history) => history.filter((other) => other !== item))
    },
    'with the tools': (stage) => {
      const item = file(stage, `scan-${stage.next('f')}.pdf`)
      stage.perform(stage.newCall(false))
      pass(stage, (history) => withoutTools(history).filter((other) => other !== item), {
        policy: { filter: 'remove-tools' },
      })
    },
  }),
  ...faultsOf('stale-refusal-carried', {
    'a no that became a yes': {
      style: PLAIN,
      play: (stage) => {
        const call = stage.newCall(true)
        stage.operation(call, 'proposed')
        const id = stage.next('ap-')
        const about = {
          action: call.tool,
          scope: call.args,
          for: call.op,
          agent: stage.owner,
          by: stage.principal.id,
        }
        stage.write('approval', { id, state: 'pending', ...about })
        stage.write('approval', { id, state: 'rejected', ...about, delivered_to: stage.owner })
        stage.say('user', `Do it after all, ${stage.next('x')}.`)
        stage.write('approval', { id, state: 'approved', ...about, delivered_to: stage.owner })
        const item = { id: stage.next('i'), type: 'approval', approval: id, for: call.op, state: 'rejected' }
        pass(stage, (history) => [...history, item])
        stage.history = stage.history.slice(0, -1)
        stage.answer({ ...call, agent: stage.owner }, { approval: id })
      },
    },
    'a rule that was lifted': {
      style: PLAIN,
      play: (stage) => {
        const id = stage.next('rule-')
        stage.write('constraint', { id, text: `touch nothing in ${id}`, state: 'active' })
        stage.write('constraint', { id, state: 'revoked' })
        const item = {
          id: stage.next('i'),
          type: 'constraint',
          constraint: id,
          content: `touch nothing in ${id}`,
        }
        pass(stage, (history) => [...history, item])
        stage.history = stage.history.slice(0, -1)
      },
    },
  }),
]
