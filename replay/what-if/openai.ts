import type { Filter } from './filter.ts'

/** The part of `HandoffInputData` of @openai/agents that a filter works on. */
export type HandoffInputData = {
  inputHistory: string | unknown[]
  preHandoffItems: unknown[]
  newItems: unknown[]
}

/** An `inputFilter` of @openai/agents. */
// biome-ignore lint/suspicious/noExplicitAny: the framework's own type has class instances that a log cannot hold.
export type OpenAIInputFilter = (data: any) => any

/**
 * A filter of @openai/agents as a filter for what-if. The captured items all stand in `inputHistory`, where filters see
 * plain items; run items of classes cannot be made from a log. What the filter returns in the other two lists is added.
 */
export function fromOpenAIInputFilter(filter: OpenAIInputFilter): Filter {
  return async ({ items }) => {
    const data: HandoffInputData = { inputHistory: items, preHandoffItems: [], newItems: [] }
    const { inputHistory, preHandoffItems = [], newItems = [] } = (await filter(data)) as HandoffInputData
    const history =
      typeof inputHistory === 'string' ? [{ role: 'user', content: inputHistory }] : inputHistory
    return [...history, ...[...preHandoffItems, ...newItems].map(rawOf)]
  }
}

function rawOf(item: unknown): unknown {
  return (item as { rawItem?: unknown } | null)?.rawItem ?? item
}
