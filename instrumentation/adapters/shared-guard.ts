import { report } from '../otel.ts'

/** Does something for handspan inside a hook of a framework. What goes wrong is reported, and the agent runs on. */
export function quietly<T>(where: string, act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    report('error', `${where}: ${error instanceof Error ? error.message : typeof error}`)
    return undefined
  }
}
