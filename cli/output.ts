import { escapeLines } from '../model/escape.ts'
import { jsonDocument, packageVersion } from '../report/json-document.ts'

export { jsonDocument, packageVersion }

/** Ended ways of a command: fine, findings at or above the threshold, usage or I/O, interrupted. */
export const EXIT = { fine: 0, findings: 1, failed: 2, interrupted: 130 } as const

/** Data goes to stdout, a line at a time. A reader that has gone away (`| head`) ends the process quietly. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/**
 * Everything that is not data (progress, warnings, errors) goes to stderr. Complaints quote what was read: ids, lines that
 * are no JSON, values. So all of it is escaped here.
 */
export function note(text: string): void {
  process.stderr.write(`${escapeLines(text)}\n`)
}

let answering = false

/** For a command whose exit code is its answer: it goes on to its end also when nobody reads what it prints. */
export function answerByExitCode(): void {
  answering = true
}

/** A reader that closed the pipe has what it wanted; anything else that breaks stdout is an error. */
export function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exit(EXIT.failed)
  if (!answering) process.exit(process.exitCode ?? EXIT.fine)
}

/** Prints one JSON document in the versioned envelope. */
export function printJson(command: string, data: Record<string, unknown>): void {
  print(jsonDocument(command, data))
}

/** An error in how a command was called: shown without a stack, with what to do. */
export class UsageError extends Error {
  readonly remedy: string
  constructor(message: string, remedy: string) {
    super(message)
    this.name = 'UsageError'
    this.remedy = remedy
  }
}

/** Columns of the output: those of the terminal, within what can be read; 100 where there is none. */
export function outputWidth(): number {
  return Math.min(Math.max(process.stdout.columns ?? 100, 40), 140)
}
