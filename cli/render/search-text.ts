import { escapeText } from '../../model/escape.ts'
import type { SearchHit } from '../../queries/search.ts'

/** A heading for each run, two lines for each place: where it is, and the text around it. */
export function searchLines(hits: readonly SearchHit[]): string[] {
  const lines: string[] = []
  let run: string | undefined
  for (const hit of hits) {
    if (hit.run !== run) lines.push(...(run === undefined ? [] : ['']), escapeText(hit.run))
    run = hit.run
    lines.push(`  ${whereOf(hit)}`, `    ${escapeText(hit.excerpt)}`)
  }
  return lines
}

function whereOf(hit: SearchHit): string {
  const parts = [
    hit.time,
    hit.kind,
    hit.handoff === null
      ? null
      : `handoff ${hit.handoff}${(hit.attempt ?? 1) > 1 ? ` attempt ${hit.attempt}` : ''}`,
    hit.side === null
      ? hit.agent === null
        ? null
        : `agent ${hit.agent}`
      : `${hit.side}'s item ${hit.position}`,
    hit.type,
    hit.path,
  ]
  return parts.flatMap((part) => (part === null || part === '' ? [] : [escapeText(part)])).join(' · ')
}
