import type { Check, CheckInput } from '../check.ts'
import { groupBy } from '../facts/dispatches.ts'
import { handsOver, ruleNames, sameTool } from '../facts/tool-names.ts'
import { type Toolkit, toolkitAt } from '../facts/toolkits.ts'
import type { Draft } from '../finding.ts'
import { listed, nameOf, receiverOf } from '../phrase.ts'
import { Remembered } from '../remembered.ts'
import type { Handoff, Operation, Run } from '../run.ts'

export const foreignToolCalled: Check = {
  id: 'foreign-tool-called',
  severity: 'error',
  title: 'An agent calls a tool that it does not have',
  question: 'Does each agent call only its own tools?',
  definition:
    'Raised when an agent begins a call of a tool that is not among the tools it was last given (with the payload of a ' +
    'handoff, a later model input, or its configuration). Silent where its tools are not in the log. Calls that hand over, ' +
    'and a call repeated under the key of an earlier one, belong to the runtime.',
  check(input) {
    const keys = firstUses(input.run)
    const foreign = [...input.run.operations.values()].flatMap((operation) => {
      const toolkit = foreignTo(input.run, operation, keys)
      return toolkit === undefined ? [] : [{ operation, toolkit }]
    })
    const groups = groupBy(foreign, ({ operation }) => `${operation.agent}\u0000${operation.tool}`)
    return { findings: [...groups.values()].map((group) => draft(input, group)) }
  },
}

function firstUses(run: Run): Map<string, Operation> {
  const first = new Map<string, Operation>()
  for (const operation of run.operations.values()) {
    if (operation.key !== undefined && !first.has(operation.key)) first.set(operation.key, operation)
  }
  return first
}

/** The toolkit that lacks the tool; undefined if the agent has it, or nobody knows what it has. */
function foreignTo(run: Run, operation: Operation, keys: Map<string, Operation>): Toolkit | undefined {
  const { agent, tool, key } = operation
  if (agent === undefined || tool === '') return undefined
  if (key !== undefined && keys.get(key) !== operation) return undefined
  const toolkit = toolkitAt(run, agent, operation.versions[0]!.step)
  if (toolkit?.names === undefined) return undefined
  if (holdsTool(toolkit, tool)) return undefined
  const sent = run.handoffs.filter(({ from }) => from === agent)
  // Runtimes often leave transfers out of the lists. One that stands in another agent's is a tool like any other.
  const isListed = [...run.agents.keys()].some((other) => {
    const others = other === agent ? undefined : toolkitAt(run, other, operation.versions[0]!.step)
    return others?.names !== undefined && holdsTool(others, tool)
  })
  return !isListed && handsOver(tool, operation.call, sent) ? undefined : toolkit
}

// An agent calls the same tools again and again.
const holdings = new Remembered<Toolkit, Map<string, boolean>>()

function holdsTool(toolkit: Toolkit, tool: string): boolean {
  let known = holdings.get(toolkit)
  if (known === undefined) {
    known = new Map()
    holdings.set(toolkit, known)
  }
  let holds = known.get(tool)
  if (holds === undefined) {
    holds = toolkit.names!.some((name) => sameTool(name, tool) || ruleNames(name, tool))
    known.set(tool, holds)
  }
  return holds
}

function draft({ run }: CheckInput, group: { operation: Operation; toolkit: Toolkit }[]): Draft {
  const { operation, toolkit } = group[0]!
  const handoff = run.handoffs.find(({ id }) => id === toolkit.handoff)
  const seen = handoff?.receipts
    .flatMap(({ items, step }) => (items ?? []).map((item) => ({ item, step })))
    .find(({ item, step }) => item.tool === operation.tool && step === toolkit.step)
  const has = toolkit.names!.length === 0 ? 'no tools' : `only ${listed(toolkit.names!)}`
  const imitates =
    seen === undefined
      ? ''
      : ` Its payload shows a call of that tool by another agent (${seen.item.path}), which it may imitate.`
  return {
    ...(handoff === undefined ? {} : { handoff: handoff.id, attempt: handoff.attempt }),
    agents: agentsOf(handoff, operation),
    subject: { kind: 'operation', id: operation.op },
    message:
      `${operation.agent} called ${nameOf(operation)}${group.length > 1 ? ` and ${group.length - 1} more of it` : ''}, but has ${has}.` +
      `${imitates} The call fails, or it goes round the rules that the tool's owner keeps.`,
    evidence: [
      ...group.slice(0, 5).map((one) => ({
        step: one.operation.versions[0]!.step,
        path: `operation ${one.operation.op}`,
      })),
      { step: toolkit.step, side: 'receiver', path: toolkit.source === 'configuration' ? 'agents' : 'tools' },
      ...(seen === undefined ? [] : [{ step: seen.step, side: 'receiver' as const, path: seen.item.path }]),
    ],
    remedy: `Give ${operation.agent} the tool, or pass the earlier results on as plain facts instead of calls.`,
    trait: operation.tool,
  }
}

function agentsOf(handoff: Handoff | undefined, operation: Operation): string[] {
  if (handoff === undefined) return [operation.agent!]
  return [...new Set([handoff.from, operation.agent ?? receiverOf(handoff)])].filter(
    (agent) => agent !== undefined,
  )
}
