import { isObject, listOf, textOf } from '../model/json.ts'

/*
 * What LangGraph writes the same way whoever instruments it: the namespace of a checkpoint, and commands.
 */

/** The nodes on the way to where a span comes from, outermost first: `coordinator:…|agent:…` is coordinator, agent. */
export function steps(metadata: Record<string, unknown>): string[] {
  const path = textOf(metadata.langgraph_checkpoint_ns) ?? textOf(metadata.checkpoint_ns)
  const names = (path ?? '').split('|').map((step) => step.split(':')[0]!)
  // A plain number tells apart several graphs that one node runs; it names nothing.
  const own = names.filter((name) => name !== '' && !/^\d+$/.test(name))
  const node = textOf(metadata.langgraph_node)
  return own.length > 0 ? own : node === undefined ? [] : [node]
}

/** Nodes inside of an agent as the prebuilt agents name them. */
const INNER =
  /^(__start__|agent|model|model_request|call_model|tools|generate_structured_response|(pre|post)_model_hook|.+\.(before|after)_(agent|model))$/

/** The agent at the end of such a way: the last node that is not the inside of a prebuilt agent. */
export function agentOfPath(path: readonly string[]): string | undefined {
  return path.findLast((name) => !INNER.test(name))
}

/** Where a command leads, if the value is one: `{lg_name: 'Command', goto: [node or {node}]}`. */
export function commandTargets(value: unknown): string[] {
  return listOf(Array.isArray(value) ? value : [value]).flatMap((each) => {
    if (!isObject(each) || each.lg_name !== 'Command') return []
    const goto = Array.isArray(each.goto) ? each.goto : [each.goto]
    return goto.flatMap((target) => {
      const node = textOf(target) ?? (isObject(target) ? textOf(target.node) : undefined)
      return node === undefined || node === '__end__' ? [] : [node]
    })
  })
}
