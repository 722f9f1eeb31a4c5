import { stripVTControlCharacters } from 'node:util'
import { escapeText } from '../../model/escape.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import { diffText } from '../render/diff-text.ts'
import { countBySeverity } from '../render/finding-text.ts'
import { timelineText } from '../render/timeline-text.ts'
import type { JudgedRun, ReportFormat } from './report.ts'

const WIDTH = 120

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
pre { font: 13px/1.4 ui-monospace, monospace; overflow-x: auto; padding: .75rem; border: 1px solid #8886 }
article { border-left: .3rem solid #888; padding: .1rem 1rem; margin: 1rem 0 }
article.error { border-color: #c33 } article.warning { border-color: #b80 }
h3 { margin-bottom: .2rem } .faint { opacity: .7 } code { overflow-wrap: anywhere }
summary { cursor: pointer; margin: .5rem 0 }`

/** One HTML file with findings, diffs and timelines: nothing is loaded, nothing is executed, captured text is escaped. */
export const htmlReport: ReportFormat = (write) => {
  write(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>handspan report</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>What crossed</h1>
<p class="faint">Made from recorded data; nothing was called again.</p>`)
  return {
    add: (judged) => write(section(judged)),
    end({ runs, refused }) {
      const unread =
        refused.length === 0 ? '' : ` ${refused.length} lines could not be read and were not judged.`
      write(`<p class="faint">${runs} ${runs === 1 ? 'run' : 'runs'} judged.${unread}</p>\n</body></html>`)
    },
  }
}

function section(judged: JudgedRun): string {
  const { run, findings, diffs, notJudged } = judged.analysis
  const origin = [run.principal?.kind, run.principal?.id].filter((word) => word !== undefined).join(' ')
  const facts = [
    ...(run.startedAt === undefined ? [] : [`started ${run.startedAt}`]),
    ...(origin === '' ? [] : [`for ${origin}`]),
    `${run.handoffs.length} handoffs`,
    countBySeverity(findings),
  ]
  return [
    `<section><h2>Run <code>${html(run.id)}</code></h2><p>${html(facts.join(' · '))}</p>`,
    ...findings.map((finding) => article(finding, judged.isKnown(finding))),
    ...judged.suppressed.map(({ check, suppressed: { reason, until } }) =>
      faint(`${check} is suppressed until ${until}: ${reason}`),
    ),
    ...notJudged.map(({ check, handoff, reason }) =>
      faint(`not judged: ${check} ${handoff ?? ''}: ${reason}`),
    ),
    ...diffs.map((diff) => handoffBlock(diff, findings)),
    details('timeline', timelineText(run, findings, WIDTH).join('\n'), false),
    '</section>',
  ].join('\n')
}

function article(
  { severity, check, handoff, agents, message, attribution, evidence, remedy }: Finding,
  known: boolean,
): string {
  const where = [handoff, agents.join(' → ')].filter((part) => part).join('  ')
  const places = evidence.map(({ step, path, side }) =>
    [side, `step ${step + 1}`, path].filter((part) => part !== undefined).join(' '),
  )
  return `<article class="${severity}"><h3>${severity} <code>${html(check)}</code>${known ? ' (known)' : ''}</h3>
<p class="faint">${html(where)}</p><p>${html(message)}</p>${attribution === undefined ? '' : `<p>Attribution: ${html(attribution)}</p>`}
<p>→ ${html(remedy)}</p><p class="faint">Evidence: ${html(places.join(' · '))}</p></article>`
}

function handoffBlock(diff: HandoffDiff, findings: readonly Finding[]): string {
  const { id, from, to, attempt } = diff.handoff
  const title = `handoff ${id}  ${from ?? '?'} → ${to ?? '?'}${attempt > 1 ? `  attempt ${attempt}` : ''}`
  return details(
    title,
    diffText(diff, WIDTH),
    findings.some(({ handoff }) => handoff === id),
  )
}

/** Text that is escaped already, but may hold the terminal's colours. */
function details(title: string, text: string, open: boolean): string {
  const body = stripVTControlCharacters(text).split('\n').map(html).join('\n')
  return `<details${open ? ' open' : ''}><summary>${html(title)}</summary><pre>${body}</pre></details>`
}

function faint(text: string): string {
  return `<p class="faint">${html(text)}</p>`
}

function html(text: string): string {
  return escapeText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
