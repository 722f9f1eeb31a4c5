import { readFileSync } from 'node:fs'
import { escapeText } from '../model/escape.ts'

/** Version of the JSON form that `--json` and exports have. It changes only when a field changes its meaning or goes away. */
export const JSON_FORMAT = 1

/**
 * One JSON document in the versioned envelope; `command` is the command whose `--json` has this form. BigInt, as DuckDB
 * returns it, becomes a number or a string. What a terminal must not see is written as JSON escapes it: it reads back as
 * it was.
 */
export function jsonDocument(command: string, data: Record<string, unknown>): string {
  const envelope = { handspan: { format: JSON_FORMAT, version: packageVersion() }, command }
  return JSON.stringify({ ...envelope, ...data }, plain, 2).replace(BEYOND_ASCII, (text) =>
    escapeText(text) === text ? text : text.replace(/./gsu, jsonEscape),
  )
}

// JSON.stringify escapes the controls below a space; what else is hostile stands beyond.
const BEYOND_ASCII = /[^\n -~]+/gu

function jsonEscape(char: string): string {
  if (escapeText(char) === char) return char
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

function plain(_name: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

/** Version of the installed package. */
export function packageVersion(): string {
  // Both from the sources (report/) and from the build (dist/) the package file is one folder up.
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
