import type { Message } from '@a2a-js/sdk'
import type { PrincipalInput } from '../record-types.ts'
import { start } from '../start.ts'
import { Recent } from './shared-recent.ts'
import { currentLog, type RunLog } from './shared-runs.ts'

const FRAMEWORK = 'a2a'

/** Runs of the adapter's own by the ids of their messages and tasks: a retry and an answer to a question belong to them. */
const own = new Recent<string, RunLog>()

/** The run that a message belongs to: the current one, the own one of its message or task, or a new one. */
export function logFor(message: Message, options: { principal?: PrincipalInput }): RunLog {
  const handspan = start()
  if (handspan.current() !== undefined) return currentLog(FRAMEWORK, options)
  const log = own.get(message.messageId) ?? own.get(message.taskId)
  return log?.handspan === handspan ? log : currentLog(FRAMEWORK, options)
}

/** Keeps an own run under the id of a message or task. */
export function remember(id: string, log: RunLog): void {
  if (isOwn(log)) own.set(id, log)
}

/** A client that a tool of another framework uses writes into the run of that framework, and does not end it. */
export function isOwn(log: RunLog): boolean {
  return log.owner === FRAMEWORK
}
