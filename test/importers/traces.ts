import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ImportedRun, importRuns } from '../../importers/index.ts'
import { decodeSpans, type Encoding } from '../../otlp/decode.ts'
import type { Span } from '../../otlp/span.ts'

/** Real exports, with what the receiver's model really got beside them. */
export const TRACES = join(import.meta.dirname, 'traces')

/** Names of the exports, without their endings. */
export const recorded = namesOf('.otlp.json')

/** Those that are there in both encodings. */
export const inBoth = namesOf('.otlp.pb')

function namesOf(ending: string): string[] {
  return readdirSync(TRACES)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
}

export function textOfTrace(file: string): string {
  return readFileSync(join(TRACES, file), 'utf8')
}

export function jsonOfTrace(file: string): unknown {
  return JSON.parse(textOfTrace(file))
}

/** The spans of a recorded export. */
export function spansOfTrace(name: string, encoding: Encoding = 'json'): Span[] {
  const bytes = readFileSync(join(TRACES, `${name}.otlp.${encoding === 'json' ? 'json' : 'pb'}`))
  return [...decodeSpans(bytes, encoding)].flatMap((span) => ('refused' in span ? [] : [span]))
}

/** The one run of a recorded export. */
export function runOfTrace(name: string): ImportedRun {
  const runs = importRuns(spansOfTrace(name))
  if (runs.length !== 1) throw new Error(`${name} gives ${runs.length} runs`)
  return runs[0]!
}
