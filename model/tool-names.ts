import { isObject, listOf, textOf } from './json.ts'

/**
 * Tools are captured as names or as definitions in the form of some provider; Gemini declares several functions in one.
 * None if the definition has no name.
 */
export function toolNames(tool: unknown): string[] {
  if (typeof tool === 'string') return tool === '' ? [] : [tool]
  if (!isObject(tool)) return []
  const declared = listOf(tool.functionDeclarations ?? tool.function_declarations)
  if (declared.length > 0) return declared.flatMap(toolNames)
  const inner = [tool, tool.function, tool.toolSpec].find((form) => isObject(form) && textOf(form.name))
  return isObject(inner) ? [textOf(inner.name)!] : []
}
