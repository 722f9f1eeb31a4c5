import { createRequire } from 'node:module'

/** A number of tokens and how it was found: `o200k_base` (counted) or `bytes/4` (estimated). */
export type TokenCount = { tokens: number; method: string }

/** Counts the tokens of a text. `ofBytes` where the number of its UTF-8 bytes is enough: a long text need not be put together. */
export type TokenCounter = { method: string; count(text: string): number; ofBytes?(bytes: number): number }

/** Always available: the UTF-8 length over four. Within a fifth for English and JSON, further off elsewhere. */
export const estimateByBytes: TokenCounter = {
  method: 'bytes/4',
  count: (text) => quarterOf(Buffer.byteLength(text, 'utf8')),
  ofBytes: quarterOf,
}

function quarterOf(bytes: number): number {
  return Math.ceil(bytes / 4)
}

// The tokenizer is super-linear on long unbroken runs, so long texts are counted in slices that end at a space.
const SLICE = 1024

const TOKENIZER = 'gpt-tokenizer/encoding/o200k_base'
const require = createRequire(import.meta.url)

/**
 * The exact counter for OpenAI encodings if the optional package is installed, else the estimate. Its tables take longer to
 * load than a short run to judge, so they are loaded when the first text is counted.
 */
export function findTokenCounter(): TokenCounter {
  if (!isInstalled(TOKENIZER)) return estimateByBytes
  // Special tokens may stand in captured text; they are counted as text instead of throwing.
  const options = { disallowedSpecial: new Set<string>() }
  const count = (text: string): number => (require(TOKENIZER) as Tokenizer).countTokens(text, options)
  return {
    method: 'o200k_base',
    count: (text) => slices(text).reduce((sum, slice) => sum + count(slice), 0),
  }
}

type Tokenizer = typeof import('gpt-tokenizer/encoding/o200k_base')

function isInstalled(name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

function slices(text: string): string[] {
  const out: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + SLICE, text.length)
    if (end < text.length) {
      const space = text.lastIndexOf(' ', end)
      if (space > start) end = space
      else if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    }
    out.push(text.slice(start, end))
    start = end
  }
  return out
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
