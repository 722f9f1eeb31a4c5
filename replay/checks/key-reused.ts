import { isObject } from '../../model/json.ts'
import type { Check } from '../check.ts'
import { type Dispatch, groupBy, writeDispatches } from '../facts/dispatches.ts'
import { actsOnKey, effectArguments } from '../facts/effects.ts'
import { isTransferTool } from '../facts/plumbing.ts'
import type { Draft } from '../finding.ts'
import { nameOf } from '../phrase.ts'

export const keyReused: Check = {
  id: 'key-reused',
  severity: 'error',
  title: 'One key stands for two different effects',
  question: 'Does each key name one intended effect?',
  definition:
    'Raised when two writes left under the same key with another tool or other arguments (those that hold the key aside). ' +
    'The call that hands the work over under its key is not counted. One that undoes or closes what another call did is ' +
    'compared with its own kind only, unless an argument names the key as what it acts on; and a look-up only where ' +
    'nothing else was done under the key, and it is said to be a write.',
  check({ run }) {
    const uses = groupBy(writeDispatches(run), ({ key }) => key)
    return {
      findings: [...uses].flatMap(([key, group]) => {
        if (key === undefined || group.length === 1) return []
        for (const [first, ...others] of comparable(group)) {
          const other = others.find(({ effect }) => effect !== first!.effect)
          if (other !== undefined) return [draft(key, first!, other)]
        }
        return []
      }),
    }
  },
}

function draft(key: string, first: Dispatch, other: Dispatch): Draft {
  const differs = other.operation.tool === first.operation.tool ? 'other arguments' : 'another tool'
  return {
    agents: [...new Set([first.agent, other.agent])].filter((agent) => agent !== undefined),
    subject: { kind: 'operation', id: other.operation.op },
    message:
      `Key ${key} was sent with ${nameOf(first.operation)} and again with ${differs} by ` +
      `${nameOf(other.operation)}. A service that knows the key answers with the first result and leaves the second undone.`,
    evidence: [
      { step: first.step, path: 'key', text: key },
      { step: other.step, path: 'key', text: key },
    ],
    remedy: 'Make a new key for each intended effect.',
    trait: `${first.operation.tool} ${other.operation.tool}`,
  }
}

const HANDS_OVER = /a2a|delegate|hand ?(off|over)/u
const LOOKS_UP = /(^|[^a-z])(look ?up|find|get|check|status|query|fetch|poll|await)([^a-z]|$)/u
const UNDOES = /(^|[^a-z])(close|void|cancel|revoke|release|settle|undo|roll ?back|refund|reverse)([^a-z]|$)/u

/** The uses of one key, by what may have only one effect under it. */
function comparable(uses: readonly Dispatch[]): Dispatch[][] {
  const making: Dispatch[] = []
  const undoing: Dispatch[] = []
  for (const use of uses) {
    const tool = wordsOf(use.operation.tool)
    if (HANDS_OVER.test(tool) || isTransferTool(use.operation.tool) || namesOnlyKey(use)) continue
    if (LOOKS_UP.test(tool)) {
      if (!looksUpAnother(use, uses)) making.push(use)
    } else if (!UNDOES.test(tool)) making.push(use)
    else if (!actsOnKey(use.operation.args, use.key!)) undoing.push(use)
  }
  return [making, ...groupBy(undoing, ({ operation }) => operation.tool).values()]
}

function wordsOf(tool: string): string {
  return tool
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase()
}

function namesOnlyKey({ operation: { args }, key }: Dispatch): boolean {
  const rest = effectArguments(args, key)
  const had = isObject(args) && Object.keys(args).length > 0
  return had && isObject(rest) && Object.keys(rest).length === 0
}

/** By its name alone it looks something up: `check_out` does not, where nothing else was done under the key. */
function looksUpAnother({ operation }: Dispatch, uses: readonly Dispatch[]): boolean {
  return operation.effectAssumed || uses.some((other) => other.operation.tool !== operation.tool)
}
