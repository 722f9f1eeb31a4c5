import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { escapeText } from '../../model/escape.ts'
import { checks } from '../../replay/catalogue/index.ts'
import type { Finding, Severity } from '../../replay/finding.ts'
import type { Place } from '../../store/log-groups.ts'
import type { Unread } from '../../store/readable-files.ts'
import { packageVersion } from '../output.ts'
import type { JudgedRun, ReportFormat } from './report.ts'

const LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }

/** SARIF 2.1.0 (OASIS): a rule for each check, a result for each finding, the fingerprint under `handspan/v1`. */
export const sarifReport: ReportFormat = (write) => {
  const results: object[] = []
  return {
    add(run) {
      for (const finding of run.analysis.findings) results.push(resultOf(run, finding))
      for (const finding of run.suppressed) {
        const { reason, until } = finding.suppressed
        const justification = escapeText(`${reason} (until ${until})`)
        results.push({ ...resultOf(run, finding), suppressions: [{ kind: 'external', justification }] })
      }
    },
    end({ baseline, unread }) {
      const states = baseline === undefined ? results.map(withoutState) : results
      write(JSON.stringify(sarifLog(states, unread), undefined, 2))
    },
  }
}

function sarifLog(results: readonly object[], unread: readonly Unread[]): object {
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'handspan', version: packageVersion(), rules: checks.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        ...(unread.length === 0 ? {} : { invocations: [incomplete(unread)] }),
        results,
      },
    ],
  }
}

/** A tool that could not look at everything says so of its run, or the rest would count as fixed. */
function incomplete(unread: readonly Unread[]): object {
  return {
    executionSuccessful: false,
    toolExecutionNotifications: unread.map(({ reason, remedy }) => ({
      level: 'error',
      message: { text: escapeText(`${reason} → ${remedy}`) },
    })),
  }
}

function ruleOf({ id, severity, title, question, definition }: (typeof checks)[number]): object {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: question },
    help: { text: definition },
    defaultConfiguration: { level: LEVELS[severity] },
  }
}

function resultOf(judged: JudgedRun, finding: Finding): object {
  const { check, severity, message, remedy, run, handoff, agents, fingerprint } = finding
  const place = judged.placeOf(finding)
  return {
    ruleId: check,
    ruleIndex: checks.findIndex(({ id }) => id === check),
    level: LEVELS[severity],
    message: { text: escapeText(`${message} → ${remedy}`) },
    locations: [
      {
        ...(place === undefined ? {} : { physicalLocation: physical(place) }),
        logicalLocations: [
          {
            name: escapeText(handoff ?? run),
            fullyQualifiedName: escapeText([run, handoff].filter((part) => part !== undefined).join('/')),
          },
        ],
      },
    ],
    partialFingerprints: { 'handspan/v1': fingerprint },
    baselineState: judged.isKnown(finding) ? 'unchanged' : 'new',
    properties: { run: escapeText(run), agents: agents.map(escapeText) },
  }
}

function physical({ file, line }: Place): object {
  return { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } }
}

/** Files below the working directory by their relative path, so that a report made on another machine fits. */
function uriOf(file: string): string {
  const path = relative(process.cwd(), file)
  if (path.startsWith('..') || path === '') return pathToFileURL(file).href
  return path.split(sep).map(encodeURIComponent).join('/')
}

function withoutState(result: object): object {
  return { ...result, baselineState: undefined }
}
