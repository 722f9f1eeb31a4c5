/** ` Did you mean X?` for the candidate that is nearest to what was written; nothing if none is near. */
export function suggestion(written: string, candidates: readonly string[]): string {
  const near = candidates
    .map((candidate) => ({
      candidate,
      distance: editDistance(written.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(written.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0]
  return near === undefined ? '' : ` Did you mean ${near.candidate}?`
}

/** Levenshtein distance: the fewest insertions, deletions and replacements that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]!
}
