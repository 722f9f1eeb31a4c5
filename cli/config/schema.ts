import { z } from 'zod'
import { checks } from '../../replay/catalogue/index.ts'
import type { Detector } from '../../replay/settings.ts'
import { suggestion } from './nearest.ts'

const CHECK_IDS = checks.map(({ id }) => id)
const SEVERITIES = ['error', 'warning', 'info', 'off'] as const

/** An object with exactly these fields. A field that is misspelt is an error: it would silently do nothing. */
function fields<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? (issue.keys as string[])
            .map(
              (key) =>
                `there is no field "${key}" here.${suggestion(key, known) || ` Known: ${known.join(', ')}.`}`,
            )
            .join(' ')
        : undefined,
  })
}

const checkId = z.string().superRefine((id, context) => {
  if (!CHECK_IDS.includes(id)) context.addIssue({ code: 'custom', message: noSuchCheck(id) })
})

const severity = z.enum(SEVERITIES, {
  error: (issue) => `${JSON.stringify(issue.input)} is none of ${SEVERITIES.join(', ')}.`,
})

const severities = z.record(z.string(), severity).superRefine((value, context) => {
  for (const id of Object.keys(value)) {
    if (!CHECK_IDS.includes(id)) context.addIssue({ code: 'custom', path: [id], message: noSuchCheck(id) })
  }
})

function noSuchCheck(id: string): string {
  return `there is no check "${id}".${suggestion(id, CHECK_IDS)}`
}

const positive = z.number().positive()
const thresholds = fields({
  'payload-growth': fields({
    hops: z.number().int().min(2).optional(),
    factor: z.number().gt(1).optional(),
  }).optional(),
  'payload-too-large': fields({ tokens: positive }).optional(),
})

const names = z.array(z.string().min(1)).min(1)

const detector = fields({
  pattern: z.union([z.string().min(1), z.instanceof(RegExp)]).optional(),
  values: names.optional(),
})
  .superRefine(({ pattern, values }, context) => {
    if ((pattern === undefined) === (values === undefined)) {
      context.addIssue({
        code: 'custom',
        message: 'give either "pattern" (a regular expression) or "values" (a list).',
      })
    } else if (typeof pattern === 'string' && compile(pattern) === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['pattern'],
        message: `${pattern} is not a regular expression.`,
      })
    }
  })
  .transform(({ pattern, values }) => patternOf(pattern, values))

function patternOf(pattern: string | RegExp | undefined, values: readonly string[] = []): RegExp {
  if (typeof pattern === 'string') return compile(pattern) ?? /$^/g
  if (pattern !== undefined) return new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`)
  return new RegExp(values.map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gu')
}

function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'gu')
  } catch {
    return undefined
  }
}

const detectors = z
  .record(z.string().min(1), detector)
  .transform((named): Detector[] => Object.entries(named).map(([name, pattern]) => ({ name, pattern })))

const suppression = fields({
  check: checkId.optional(),
  agents: names.optional(),
  fingerprint: z.string().min(1).optional(),
  reason: z.string().min(1),
  until: z.iso.date({ error: 'the last day on which it holds, YYYY-MM-DD.' }),
}).refine(
  ({ check, agents, fingerprint }) =>
    check !== undefined || agents !== undefined || fingerprint !== undefined,
  {
    message: 'say what it is about: "check", "agents" or "fingerprint".',
  },
)

/** The configuration file. Every field may be left out; an unknown one is an error. */
export const configSchema = fields({
  severities: severities.optional(),
  thresholds: thresholds.optional(),
  effects: fields({ read: names.optional(), write: names.optional() }).optional(),
  keys: z.record(z.string().min(1), names).optional(),
  detectors: detectors.optional(),
  suppressions: z.array(suppression).optional(),
})
