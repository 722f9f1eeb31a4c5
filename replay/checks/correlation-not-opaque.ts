import { textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import type { Draft } from '../finding.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run, Step } from '../run.ts'
import { wordsOf } from '../text.ts'

const MAIL = /[^\s@]+@[^\s@]+\.[\p{L}]{2,}/u
const PHONE = /(^|[^\p{L}\p{N}])\+\d[\d\s()-]{7,}\d/u
const WORD = /\p{L}{2,}/gu

export const correlationNotOpaque: Check = {
  id: 'correlation-not-opaque',
  severity: 'warning',
  title: 'An id tells something about a person or the content',
  question: 'Can the correlation id be passed to anybody?',
  definition:
    'Raised once for each run id, task or context id or correlation id that holds a mail address, a telephone number, ' +
    'several words in a row, words that the user said, or the name of the person who started the run. Ids travel into logs and other systems.',
  judgesByWords: true,
  check({ run }) {
    const findings: Draft[] = []
    const seen = new Set<string>()
    for (const { id, step, path } of idsOf(run)) {
      const why = seen.has(id) ? undefined : whatItTells(id, run)
      seen.add(id)
      if (why !== undefined) findings.push(draft(step, path, why))
    }
    return { findings }
  },
}

function* idsOf(run: Run): Generator<{ id: string; step: Step; path: string }> {
  yield { id: run.id, step: 0, path: 'run' }
  for (const { sent, receipts } of run.handoffs) {
    for (const side of [sent, ...receipts]) {
      if (side === undefined) continue
      const { task } = side.event
      const named = isObject(task) ? { 'task.id': task.id, 'task.context': task.context } : { task }
      const all = {
        ...named,
        'record.correlation_id': side.record?.raw.correlation_id,
        correlation_id: side.event.correlation_id,
      }
      for (const [path, value] of Object.entries(all)) {
        const id = textOf(value)
        if (id !== undefined) yield { id, step: side.step, path }
      }
    }
  }
}

function whatItTells(id: string, run: Run): string | undefined {
  if (MAIL.test(id)) return 'a mail address'
  if (PHONE.test(id)) return 'a telephone number'
  const words = id.split(/\s+/u).filter((part) => (part.match(WORD)?.length ?? 0) > 0)
  if (words.length > 1) return 'words'
  if (namesPrincipal(id, run)) return 'the name of the person who started the run'
  return quotesUser(id, run) ? "words of the user's" : undefined
}

const QUOTED_FROM = 3

/** Three words and more of the id, and most of it, are what the user said. Two may be the name of a workflow. */
function quotesUser(id: string, run: Run): boolean {
  const words = new Set(
    (id.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter((word) => !/^[0-9a-f]+$/u.test(word)),
  )
  if (words.size < QUOTED_FROM) return false
  const said = wordsOfUser(run)
  const quoted = [...words].filter((word) => said.has(word)).length
  return quoted >= QUOTED_FROM && quoted / words.size > 0.6
}

const wordsOfUser = oncePerRun((run) => {
  const items = run.handoffs.flatMap(({ sent }) => (sent?.items ?? []).filter(({ role }) => role === 'user'))
  const turns = run.messages.filter(({ event }) => event.role === 'user')
  const texts = [...items.map(({ text }) => text), ...turns.map(({ event }) => textOfContent(event.content))]
  return wordsOf(texts.join('\n'))
})

/** A principal id of several words and no digit is a name; one such as `u-17` or `dev` tells nothing. */
function namesPrincipal(id: string, { principal, events }: Run): boolean {
  if (principal?.kind !== 'human') return false
  const stated = events.find(({ kind }) => kind === 'run.start')?.principal
  const names = isObject(stated) ? [stated.name, stated.display_name, stated.full_name] : []
  const known = principal.id === undefined || /\p{N}/u.test(principal.id) ? [] : [principal.id]
  const lower = id.toLowerCase()
  return [...known, ...names.flatMap((name) => textOf(name) ?? [])].some((name) => {
    const parts = name.match(/\p{L}{3,}/gu) ?? []
    return parts.length > 1 && parts.every((part) => lower.includes(part.toLowerCase()))
  })
}

function draft(step: Step, path: string, why: string): Draft {
  return {
    agents: [],
    subject: { kind: 'item', id: path },
    message: `The id in ${path} holds ${why}. It goes into every log, trace and foreign system that the run touches.`,
    evidence: [{ step, path }],
    remedy: 'Use a random id, and keep what it stands for where it is protected.',
    trait: `${path} ${why}`,
  }
}
