import { isObject, textOf } from '../../model/json.ts'
import { fieldOf } from '../storable.ts'

/** A step of a graph on the way to where a callback comes from: `name` of the node, `id` of this visit of it. */
export type Visit = { name: string; id: string }

/** The visits that a callback stands in, outermost first, from the namespace of its checkpoint. */
export function visitsOf(metadata: unknown): Visit[] {
  const path =
    textOf(fieldOf(metadata, 'langgraph_checkpoint_ns')) ?? textOf(fieldOf(metadata, 'checkpoint_ns'))
  if (path === undefined || path === '') return []
  // A plain number tells apart several graphs that one node runs; it names nothing.
  const steps = path.split('|').filter((id) => !/^\d+$/.test(id))
  return steps.map((id) => ({ name: id.split(':')[0]!, id }))
}

/** Nodes inside of an agent as the prebuilt agents name them. */
const INNER =
  /^(agent|model|model_request|call_model|tools|generate_structured_response|(pre|post)_model_hook|.+\.(before|after)_(agent|model))$/

export function isInnerNode(name: string): boolean {
  return INNER.test(name)
}

/** The agent that a callback belongs to: its node in the graph of agents, or the name it was given. */
export function agentOf(visits: readonly Visit[], metadata: unknown, fallback: string): string {
  const own = visits.findLast(({ name }) => !isInnerNode(name))
  return own?.name ?? textOf(fieldOf(metadata, 'lc_agent_name')) ?? fallback
}

/** Where a command leads to. */
export type Target = { to: string; parent: boolean; send: boolean }

/** The targets of a command; none for what is no command, or only updates the state. */
export function targetsOf(output: unknown): Target[] {
  return [output].flat().flatMap((each) => {
    if (fieldOf(each, 'lg_name') !== 'Command') return []
    const parent = fieldOf(each, 'graph') === '__parent__'
    return [fieldOf(each, 'goto')].flat().flatMap((goto) => {
      const node = typeof goto === 'string' ? goto : textOf(fieldOf(goto, 'node'))
      if (node === undefined || node === '__end__') return []
      return { to: node, parent, send: typeof goto !== 'string' }
    })
  })
}

/** Arguments of a tool as the callback has them: the arguments themselves, or the whole call. */
export function argumentsOf(input: unknown): unknown {
  const value = typeof input === 'string' ? parsed(input) : input
  return isObject(value) && value.type === 'tool_call' && 'args' in value ? value.args : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * True for the tools by which agents of the prebuilt packages hand over. Only those: they are marked, or take no arguments.
 * A tool of the program with such a name may well move money.
 */
export function isHandoffTool(name: string, args: unknown, metadata: unknown): boolean {
  if (fieldOf(metadata, '__handoff_destination') !== undefined) return true
  return /^transfer_(back_)?to_/.test(name) && isObject(args) && Object.keys(args).length === 0
}
