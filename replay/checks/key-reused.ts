import { isObject } from '../../model/json.ts'
import type { Check } from '../check.ts'
import { type Dispatch, groupBy, writeDispatches } from '../facts/dispatches.ts'
import { effectArguments } from '../facts/effects.ts'
import { isTransferTool } from '../facts/plumbing.ts'
import { nameOf } from '../phrase.ts'

export const keyReused: Check = {
  id: 'key-reused',
  severity: 'error',
  title: 'One key stands for two different effects',
  question: 'Does each key name one intended effect?',
  definition:
    'Raised when two writes left under the same key with another tool or other arguments (those that hold the key aside). ' +
    'Calls that act on the key itself, such as a look-up or closing it, and the call that hands the work over under its ' +
    'key are not counted.',
  check({ run }) {
    const uses = groupBy(writeDispatches(run), ({ key }) => key ?? '')
    const keyed = writeDispatches(run).filter(
      (dispatch) =>
        dispatch.key !== undefined && uses.get(dispatch.key)!.length > 1 && makesAnEffect(dispatch),
    )
    return {
      findings: [...groupBy(keyed, ({ key }) => key!).values()].flatMap((group) => {
        const first = group[0]!
        const other = group.find(({ effect }) => effect !== first.effect)
        if (other === undefined) return []
        const differs = other.operation.tool === first.operation.tool ? 'other arguments' : 'another tool'
        return [
          {
            agents: [...new Set([first.agent, other.agent])].filter((agent) => agent !== undefined),
            subject: { kind: 'operation', id: other.operation.op },
            message:
              `Key ${first.key} was sent with ${nameOf(first.operation)} and again with ${differs} by ` +
              `${nameOf(other.operation)}. A service that knows the key answers with the first result and leaves the second undone.`,
            evidence: [
              { step: first.step, path: 'key', text: first.key! },
              { step: other.step, path: 'key', text: other.key! },
            ],
            remedy: 'Make a new key for each intended effect.',
            trait: `${first.operation.tool} ${other.operation.tool}`,
          },
        ]
      }),
    }
  },
}

const ABOUT_A_KEY =
  /(^|[^a-z])(close|void|cancel|revoke|release|settle|look_?up|find|get|check|status|query|fetch|poll|await|undo|rollback|refund|reverse)([^a-z]|$)/u
const HANDS_OVER = /a2a|delegate|hand_?(off|over)/u

function makesAnEffect({ operation, key }: Dispatch): boolean {
  const tool = operation.tool.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase()
  if (ABOUT_A_KEY.test(tool.replace(/_/g, ' ')) || HANDS_OVER.test(tool) || isTransferTool(operation.tool))
    return false
  const rest = effectArguments(operation.args, key)
  const had = isObject(operation.args) && Object.keys(operation.args).length > 0
  return !(had && isObject(rest) && Object.keys(rest).length === 0)
}
