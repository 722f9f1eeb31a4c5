import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import type { RunEvent } from '../../model/run-log.ts'
import type { Check } from '../check.ts'
import { isAgent } from '../facts/agents.ts'
import { withoutGenerated } from '../facts/generated.ts'
import { stepsOf } from '../facts/steps-by-kind.ts'
import type { Draft } from '../finding.ts'
import { quote } from '../phrase.ts'
import type { Run, Step } from '../run.ts'

const BODY = ['items', 'messages', 'content', 'state', 'status', 'value', 'data', 'body', 'record', 'history']
const VIEW = ['view', 'source', 'store', 'name']
// Who wrote it is a view only of something that is named: each agent's own memory may well differ.
const AUTHOR = ['by', 'agent', 'process', 'writer']
const SUBJECT = [
  'of',
  'subject',
  'thread',
  'task',
  'session',
  'conversation',
  'context',
  'key',
  'checkpoint',
  'handoff',
]
// What makes a later view rightly differ from an earlier one.
const WORK =
  /^(message|operation|approval|constraint|commitment|handoff\.|store\.write|model\.input|session\.)/u

const STOP = /^(process\.crash|session\.created)$/u

export const viewDiverged: Check = {
  id: 'view-diverged',
  severity: 'error',
  title: 'Two records of one run disagree',
  question: 'Do all views of the run show the same?',
  definition:
    'Raised when two snapshots of the same thing, taken from different views with nothing done in between, hold different ' +
    'content, or two of one agent, before it stopped and after it was started anew; when a task ends in different final states in two views; and when a write to a store failed and was never ' +
    'made good, while the run went on from what was to be stored. Ids and times in the content are left out.',
  check({ run }) {
    return {
      findings: [...snapshots(run), ...restored(run), ...finalStates(run), ...failedStores(run)],
    }
  },
}

type View = { step: Step; view: string; subject: string; body: unknown; plain: string }

function snapshots(run: Run): Draft[] {
  const findings: Draft[] = []
  if (stepsOf(run, 'snapshot').length < 2) return findings
  let recent: View[] = []
  for (const [step, event] of run.events.entries()) {
    if (event.kind === 'snapshot') {
      const view = readView(run, event, step)
      if (view === undefined) continue
      const other = recent.find(
        (one) => one.view !== view.view && agrees(one.subject, view.subject) && one.plain !== view.plain,
      )
      if (other !== undefined) findings.push(divergedDraft(other, view))
      recent.push(view)
    } else if (recent.length > 0 && WORK.test(event.kind)) recent = []
  }
  return findings
}

/** One agent's own snapshots, before it stopped and after it was started anew: it goes on from another past. */
function restored(run: Run): Draft[] {
  const findings: Draft[] = []
  if (stepsOf(run, 'snapshot').length < 2) return findings
  const before = new Map<string, { view: View; stopped: boolean }>()
  for (const [step, event] of run.events.entries()) {
    if (STOP.test(event.kind)) {
      for (const [agent, one] of before) one.stopped ||= event.agent === undefined || event.agent === agent
    } else if (event.kind === 'snapshot') {
      const agent = textOf(event.agent)
      const view = agent === undefined ? undefined : viewOf(event, step, `${agent}, as it was`)
      if (agent === undefined || view === undefined || firstText(event, VIEW) !== undefined) continue
      const one = before.get(agent)
      const isSame = one?.view.subject === view.subject
      if (one?.stopped && isSame && one.view.plain !== view.plain)
        findings.push(divergedDraft(one.view, { ...view, view: `${agent}, started anew,` }))
      before.set(agent, { view, stopped: false })
    } else if (WORK.test(event.kind) && !STOP.test(event.kind)) before.clear()
  }
  return findings
}

/** A view that does not name its subject is of the run as a whole. */
function agrees(a: string, b: string): boolean {
  return a === b || a === '' || b === ''
}

function readView(run: Run, event: RunEvent, step: Step): View | undefined {
  const subject = firstText(event, SUBJECT)
  const author = firstText(event, AUTHOR)
  const isView =
    author !== undefined && (subject !== undefined || !(event.agent === author || isAgent(run, author)))
  const view = firstText(event, VIEW) ?? (isView ? author : undefined)
  return view === undefined ? undefined : viewOf(event, step, view)
}

function viewOf(event: RunEvent, step: Step, view: string): View | undefined {
  const body =
    BODY.map((field) => event[field]).find((one) => one !== undefined && one !== null) ?? otherFields(event)
  if (body === undefined) return undefined
  const subject = firstText(event, SUBJECT) ?? ''
  return { step, view, subject, body, plain: canonicalJson(withoutGenerated(body)) }
}

const COMMON = [
  'v',
  'run',
  'seq',
  'at',
  'kind',
  'trace',
  'evidence',
  'note',
  'id',
  ...VIEW,
  ...AUTHOR,
  ...SUBJECT,
]

/** A snapshot may hold what it shows in fields of its own; undefined if it holds none. */
function otherFields(event: RunEvent): object | undefined {
  const own = Object.entries(event).filter(([name]) => !COMMON.includes(name))
  return own.length === 0 ? undefined : Object.fromEntries(own)
}

function firstText(event: RunEvent, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = event[field]
    const text = textOf(value) ?? (isObject(value) ? textOf(value.id) : undefined)
    if (text !== undefined) return text
  }
  return undefined
}

const FINAL = /^(completed?|done|succeeded|failed|error(ed)?|cancell?ed|rejected)$/iu
const SAME_FINAL: Record<string, string> = {
  complete: 'completed',
  done: 'completed',
  succeeded: 'completed',
  error: 'failed',
  errored: 'failed',
  cancelled: 'canceled',
}

/** Two views of a task that each say that it ended, and differ in how. */
function finalStates(run: Run): Draft[] {
  const last = new Map<string, Map<string, View>>()
  for (const step of stepsOf(run, 'task.state')) {
    const event = run.events[step]!
    const state =
      textOf(event.state) ??
      textOf(event.status) ??
      (isObject(event.status) ? textOf(event.status.state) : undefined)
    const view = firstText(event, [...VIEW, ...AUTHOR])
    const subject = firstText(event, ['task', 'id', ...SUBJECT])
    if (state === undefined || view === undefined || subject === undefined) continue
    const views = last.get(subject) ?? new Map<string, View>()
    const word = state.toLowerCase()
    views.set(view, { step, view, subject, body: state, plain: SAME_FINAL[word] ?? word })
    last.set(subject, views)
  }
  return [...last.values()].flatMap((views) => {
    const all = [...views.values()]
    const final = all.filter(({ plain }) => FINAL.test(plain))
    const other = final.find(({ plain }) => plain !== final[0]!.plain) ?? leftOpen(run, all, final)
    return other === undefined ? [] : [divergedDraft(final[0]!, other)]
  })
}

/** At the end of the run a view that is named as one still shows the task as open. An agent's own word may just be old. */
function leftOpen(run: Run, views: readonly View[], final: readonly View[]): View | undefined {
  if (!run.ended || final.length === 0) return undefined
  return views.find(
    ({ step, plain }) => !FINAL.test(plain) && firstText(run.events[step]!, VIEW) !== undefined,
  )
}

function divergedDraft(a: View, b: View): Draft {
  const what = b.subject || a.subject || 'the run'
  return {
    agents: [a.view, b.view],
    subject: { kind: 'item', id: what },
    message:
      `${a.view} and ${b.view} show ${what} differently: ${quote(shown(a.body))} and ${quote(shown(b.body))}. ` +
      'Whoever resumes from one of them works from another past than the rest.',
    evidence: [{ step: a.step }, { step: b.step }],
    remedy: 'Keep one record as the truth and derive the other from it; compare both before a resume.',
    trait: [a.view, b.view].sort().join(' '),
  }
}

/** A write that failed, with no write to that store afterwards, in a run that did more. */
function failedStores(run: Run): Draft[] {
  return stepsOf(run, 'store.failed').flatMap((step) => {
    const event = run.events[step]!
    const store =
      firstText(event, ['store', 'collection', 'table', 'thread', 'session', 'path', 'name']) ?? 'the store'
    const later = run.events.slice(step + 1)
    const isMadeGood = later.some(
      (other) =>
        other.kind === 'store.write' &&
        (firstText(other, ['store', 'collection', 'table', 'thread', 'session', 'path', 'name']) ??
          'the store') === store,
    )
    const goesOn = later.findIndex(({ kind }) => /^(message|operation|handoff\.|model\.input)/u.test(kind))
    if (isMadeGood || goesOn < 0) return []
    return [
      {
        agents: [textOf(event.agent)].filter((agent) => agent !== undefined),
        subject: { kind: 'item', id: store },
        message:
          `A write to ${store} failed and was never made good, and the run went on. ` +
          'What is stored and what the agents saw are two different pasts from here on.',
        evidence: [{ step }, { step: step + 1 + goesOn }],
        remedy: 'Stop, or write again before anything rests on it.',
        trait: store,
      },
    ]
  })
}

function shown(body: unknown): string {
  return typeof body === 'string' ? body : jsonString(body)
}
