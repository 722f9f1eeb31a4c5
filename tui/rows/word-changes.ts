import { type Line, line, type Span, wrap } from '../lines.ts'

type Part = { word: string; side: 'both' | 'before' | 'after' }

// The table of a comparison grows with the product of both lengths; past this only the two texts are shown.
const MOST_CELLS = 4_000_000

/** Before and after, what went in brackets with `-`, what came with `+`: the words tell it without colour. */
export function wordChanges({ before, after }: { before: unknown; after: unknown }, width: number): Line[] {
  const [old, now] = [words(before), words(after)]
  if (old.length * now.length > MOST_CELLS) {
    return [
      line('too long to be compared word by word', 'warning'),
      line('before', 'title'),
      ...wrap(old.join(''), width, 200).map((text) => line(text)),
      line('after', 'title'),
      ...wrap(now.join(''), width, 200).map((text) => line(text)),
    ]
  }
  return flow(align(old, now).map(spanOf), width)
}

function words(value: unknown): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '')
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

/** The longest common run of words, and what lies between. */
export function align(before: readonly string[], after: readonly string[]): Part[] {
  const width = after.length + 1
  const table = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i * width + j] =
        before[i] === after[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!)
    }
  }
  const parts: Part[] = []
  const add = (word: string, side: Part['side']) => {
    const last = parts.at(-1)
    if (last?.side === side) last.word += word
    else parts.push({ word, side })
  }
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      add(before[i]!, 'both')
      i++
      j++
    } else if (
      j >= after.length ||
      (i < before.length && table[(i + 1) * width + j]! >= table[i * width + j + 1]!)
    ) {
      add(before[i++]!, 'before')
    } else add(after[j++]!, 'after')
  }
  return parts
}

function spanOf({ word, side }: Part): Span {
  if (side === 'both') return { text: word }
  return side === 'before' ? { text: `[-${word}-]`, tone: 'error' } : { text: `{+${word}+}`, tone: 'good' }
}

/** Spans broken into lines; each keeps its tone. */
function flow(spans: readonly Span[], width: number): Line[] {
  const lines: Span[][] = [[]]
  let used = 0
  for (const { text, tone } of spans) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) {
        lines.push([])
        used = 0
      }
      for (const piece of part.match(/\S+\s*|\s+/gu) ?? []) {
        if (used + piece.length > width && used > 0) {
          lines.push([])
          used = 0
        }
        lines.at(-1)!.push({ text: piece, tone })
        used += piece.length
      }
    })
  }
  return lines
}
