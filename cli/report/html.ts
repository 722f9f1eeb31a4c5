import { stripVTControlCharacters } from 'node:util'
import { plural } from '../../model/counts.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Finding } from '../../replay/finding.ts'
import { escapeHtml, HTML_END, htmlHead } from '../../report/html-page.ts'
import { diffText } from '../render/diff-text.ts'
import { countBySeverity } from '../render/finding-text.ts'
import { timelineText } from '../render/timeline-text.ts'
import { type JudgedRun, type ReportFormat, unreadLines } from './report.ts'

const WIDTH = 120

/** One HTML file with findings, diffs and timelines: nothing is loaded, nothing is executed, captured text is escaped. */
export const htmlReport: ReportFormat = (write) => {
  write(`${htmlHead('handspan report')}
<h1>What crossed</h1>
<p class="faint">Made from recorded data; nothing was called again.</p>`)
  return {
    add: (judged) => write(section(judged)),
    end({ runs, refused, unread }) {
      for (const { reason } of unread) write(`<p class="error">Not judged: ${escapeHtml(reason)}</p>`)
      const lines = refused.length === 0 ? '' : ` ${unreadLines(refused.length)}.`
      write(`<p class="faint">${plural(runs, 'run')} judged.${lines}</p>\n${HTML_END}`)
    },
  }
}

function section(judged: JudgedRun): string {
  const { run, findings, diffs, notJudged } = judged.analysis
  const origin = [run.principal?.kind, run.principal?.id].filter((word) => word !== undefined).join(' ')
  const facts = [
    ...(run.startedAt === undefined ? [] : [`started ${run.startedAt.slice(0, 19).replace('T', ' ')} UTC`]),
    ...(origin === '' ? [] : [`for ${origin}`]),
    plural(run.handoffs.length, 'handoff'),
    countBySeverity(findings),
  ]
  return [
    `<section><h2>Run <code>${escapeHtml(run.id)}</code></h2><p>${escapeHtml(facts.join(' · '))}</p>`,
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
  return `<article class="${severity}"><h3>${severity} <code>${escapeHtml(check)}</code>${known ? ' (known)' : ''}</h3>
<p class="faint">${escapeHtml(where)}</p><p>${escapeHtml(message)}</p>${attribution === undefined ? '' : `<p>Attribution: ${escapeHtml(attribution)}</p>`}
<p>→ ${escapeHtml(remedy)}</p><p class="faint">Evidence: ${escapeHtml(places.join(' · '))}</p></article>`
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
  const body = stripVTControlCharacters(text).split('\n').map(escapeHtml).join('\n')
  return `<details${open ? ' open' : ''}><summary>${escapeHtml(title)}</summary><pre>${body}</pre></details>`
}

function faint(text: string): string {
  return `<p class="faint">${escapeHtml(text)}</p>`
}
