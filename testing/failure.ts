import { AssertionError } from 'node:assert'
import { escapeText } from '../model/escape.ts'
import type { Finding } from '../replay/finding.ts'

/** One row of a diff: what it is about, how it was at the sender, how it crossed. */
export type Row = { good: boolean; subject: string; sender: string; crossed: string }

/** Fails if a row is not good; the message shows all of them, so that the reader sees what did cross. */
export function assertRows(title: string, rows: readonly Row[], operator: Assertion): void {
  if (rows.every(({ good }) => good)) return
  const widths = [
    Math.max(...rows.map(({ subject }) => subject.length)),
    Math.max(...rows.map(({ sender }) => sender.length)),
  ] as const
  const lines = rows.map(
    ({ good, subject, sender, crossed }) =>
      `  ${good ? '✓' : '✗'} ${escapeText(subject).padEnd(widths[0])}  ${escapeText(sender).padEnd(widths[1])}  ${escapeText(crossed)}`,
  )
  fail(`${title}\n\n${lines.join('\n')}`, operator)
}

/** Fails if there are findings; the message says of each what is wrong and what to do. */
export function assertNoFindings(title: string, findings: readonly Finding[], operator: Assertion): void {
  if (findings.length === 0) return
  const lines = findings.flatMap(({ severity, check, handoff, message, remedy }) => [
    `  ✗ ${severity} ${check} ${escapeText(handoff ?? '')}`.trimEnd(),
    `    ${escapeText(message)}`,
    `    → ${escapeText(remedy)}`,
  ])
  fail(`${title}\n\n${lines.join('\n')}`, operator)
}

/** A value in a row; nothing where there is none. */
export function json(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}

/** Where the stack of a failure begins: the assertion that the test called. */
export type Assertion = (...args: never[]) => unknown

/** Throws node:assert's error, with a stack that begins at the test. */
export function fail(message: string, assertion: Assertion): never {
  throw new AssertionError({ message, operator: assertion.name, stackStartFn: assertion })
}
