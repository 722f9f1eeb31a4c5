import { isObject, textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import type { Draft } from '../finding.ts'
import type { Run, Step } from '../run.ts'

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
    'several words in a row, or the name of the person who started the run. Ids travel into logs and other systems.',
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
  return namesPrincipal(id, run) ? 'the name of the person who started the run' : undefined
}

/** A principal id of several words and no digit is a name; one such as `u-17` or `dev` tells nothing. */
function namesPrincipal(id: string, { principal }: Run): boolean {
  if (principal?.kind !== 'human' || principal.id === undefined || /\p{N}/u.test(principal.id)) return false
  const parts = principal.id.match(/\p{L}{3,}/gu) ?? []
  const lower = id.toLowerCase()
  return parts.length > 1 && parts.every((part) => lower.includes(part.toLowerCase()))
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
