import { escapeText } from '../../model/escape.ts'
import { checks } from '../../replay/catalogue/index.ts'
import type { Finding } from '../../replay/finding.ts'
import type { Handoff } from '../../replay/run.ts'
import type { Unread } from '../../store/readable-files.ts'
import type { JudgedRun, ReportFormat } from './report.ts'

/** JUnit XML: a suite for each run, a test case for each check and handoff, one more for what concerns the run as a whole. */
export const junitReport: ReportFormat = (write) => {
  write('<?xml version="1.0" encoding="UTF-8"?>')
  write('<testsuites name="handspan">')
  return {
    add: (run) => write(suite(run)),
    end({ unread }) {
      if (unread.length > 0) write(unreadSuite(unread))
      write('</testsuites>')
    },
  }
}

function suite(judged: JudgedRun): string {
  const { run } = judged.analysis
  const subjects = [undefined, ...new Map(run.handoffs.map((handoff) => [handoff.id, handoff])).values()]
  const cases = subjects.flatMap((handoff) => checks.flatMap(({ id }) => testCase(judged, id, handoff) ?? []))
  const count = (kind: string) => cases.filter((one) => one.includes(kind)).length
  const totals = `tests="${cases.length}" failures="${count('<failure ')}" skipped="${count('<skipped ')}" errors="0"`
  return [`  <testsuite name="${xml(run.id)}" ${totals}>`, ...cases, '  </testsuite>'].join('\n')
}

/** What was not judged must not look like what was judged and is fine. */
function unreadSuite(unread: readonly Unread[]): string {
  return [
    `  <testsuite name="could not be read" tests="${unread.length}" failures="0" skipped="0" errors="${unread.length}">`,
    ...unread.flatMap(({ file, reason, remedy }) => [
      `    <testcase name="${xml(file)}" classname="could not be read">`,
      `      <error message="${xml(reason)}">${xml(remedy)}</error>`,
      '    </testcase>',
    ]),
    '  </testsuite>',
  ].join('\n')
}

function testCase(judged: JudgedRun, check: string, handoff: Handoff | undefined): string | undefined {
  const { findings, notJudged, run } = judged.analysis
  const known = new Set(run.handoffs.map(({ id }) => id))
  const concerns = (one: { check: string; handoff?: string | undefined }) =>
    one.check === check &&
    (handoff === undefined
      ? one.handoff === undefined || !known.has(one.handoff)
      : one.handoff === handoff.id)
  const found = findings.filter(concerns)
  const gap = notJudged.find(concerns)
  // Most checks are about handoffs: a run has a test case only for those that say something of it.
  if (handoff === undefined && found.length === 0 && gap === undefined) return undefined
  const failing = found.filter(judged.fails)
  const others = found.filter((finding) => !judged.fails(finding))
  const body = [
    ...(failing.length === 0 ? [] : [failure(failing)]),
    ...(found.length > 0 || gap === undefined
      ? []
      : [`      <skipped message="${xml(`not judged: ${gap.reason}`)}"/>`]),
    ...(others.length === 0 ? [] : [`      <system-out>${xml(others.map(lineOf).join('\n'))}</system-out>`]),
  ]
  const head = `    <testcase name="${xml(check)}" classname="${xml(nameOf(run.id, handoff))}"`
  return body.length === 0 ? `${head}/>` : [`${head}>`, ...body, '    </testcase>'].join('\n')
}

function nameOf(run: string, handoff: Handoff | undefined): string {
  return handoff === undefined ? run : `${run} ${handoff.id} ${handoff.from ?? '?'} → ${handoff.to ?? '?'}`
}

function failure(findings: readonly Finding[]): string {
  const [first] = findings
  return `      <failure type="${xml(first!.severity)}" message="${xml(first!.message)}">${xml(findings.map(lineOf).join('\n'))}</failure>`
}

function lineOf({ severity, message, remedy, fingerprint }: Finding): string {
  return `${severity}: ${escapeText(message)} → ${escapeText(remedy)} [${fingerprint}]`
}

/** Text for an attribute or an element. What XML cannot hold is shown as an escape; line breaks are the program's own. */
function xml(text: string): string {
  return text.split('\n').map(xmlLine).join('&#10;')
}

function xmlLine(line: string): string {
  return escapeText(line)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
