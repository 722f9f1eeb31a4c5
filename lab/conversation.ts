/** A conversation item, as a model reads it. Keys and other things that only a runtime knows are not in it. */
export type Item = {
  type: 'message' | 'tool_call' | 'tool_result' | 'note'
  role?: 'user' | 'assistant' | 'system'
  content?: string
  /** Who is really behind it, where that is not the role. */
  origin?: { kind: string; verified: boolean }
  call?: string
  tool?: string
  args?: Record<string, unknown>
}

/** What a model does next: say something, call a tool, or both. Neither: it is done. */
export type Act = { say?: string; call?: { tool: string; args: Record<string, unknown> } }

/** A scripted model: a plain function of what it was given to read. */
export type Model = (items: readonly Item[]) => Act

/** The functions behind the tool names of one agent. */
export type Tools = Record<string, (args: never) => Promise<unknown>>

/** Lets a model read and act until it calls no more tools; `items` grows as it does. Gives its last words. */
export async function converse(model: Model, tools: Tools, items: Item[]): Promise<string> {
  let last = ''
  for (;;) {
    const { say, call } = model(items)
    if (say !== undefined) {
      items.push({ type: 'message', role: 'assistant', content: say })
      last = say
    }
    if (call === undefined) return last
    const id = `call-${items.filter(({ type }) => type === 'tool_call').length + 1}`
    items.push({ type: 'tool_call', call: id, ...call })
    items.push({ type: 'tool_result', call: id, content: await answerOf(tools[call.tool]!, call.args) })
  }
}

/** The answer as a model gets it: text, also when it is an error. */
async function answerOf(tool: Tools[string], args: Record<string, unknown>): Promise<string> {
  try {
    const result = await tool(args as never)
    return typeof result === 'string' ? result : JSON.stringify(result ?? 'nothing found')
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}
