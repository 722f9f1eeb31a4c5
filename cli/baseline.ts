import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Finding } from '../replay/finding.ts'
import { cannotRead } from './cannot-read.ts'
import { UsageError } from './output.ts'
import { putFile } from './put-file.ts'

/** Version of the baseline file. It changes when fingerprints are made in another way. */
export const BASELINE_FORMAT = 1

/** Fingerprints of findings that are known and accepted, with enough beside each to recognise it in a review. */
export type Baseline = { file: string; fingerprints: ReadonlySet<string> }

const schema = z.object({
  handspan: z.object({ baseline: z.literal(BASELINE_FORMAT) }),
  findings: z.array(z.looseObject({ fingerprint: z.string().min(1) })),
})

/** Reads a baseline. `create`: a file that is not there is an empty one. Throws UsageError. */
export async function readBaseline(file: string, options: { create: boolean }): Promise<Baseline> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (options.create && (error as NodeJS.ErrnoException).code === 'ENOENT')
      return { file, fingerprints: new Set() }
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw missing
      ? new UsageError(`${file} does not exist.`, 'Check the path, or make it with --update-baseline.')
      : cannotRead(file, error)
  }
  const parsed = schema.safeParse(parse(file, text))
  if (!parsed.success) throw notABaseline(file, parsed.error)
  return { file, fingerprints: new Set(parsed.data.findings.map(({ fingerprint }) => fingerprint)) }
}

/** Writes the findings as the new baseline: sorted, without times and run ids, so that a change is a small diff. */
export async function writeBaseline(file: string, findings: readonly Finding[]): Promise<number> {
  const byFingerprint = new Map(
    findings.map(({ fingerprint, check, severity, agents }) => [
      fingerprint,
      { fingerprint, check, severity, agents },
    ]),
  )
  const sorted = [...byFingerprint.values()].sort((a, b) =>
    `${a.check} ${a.fingerprint}` < `${b.check} ${b.fingerprint}` ? -1 : 1,
  )
  const lines = sorted.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')
  const list = lines === '' ? '[]' : `[\n${lines}\n  ]`
  const text = `{\n  "handspan": { "baseline": ${BASELINE_FORMAT} },\n  "findings": ${list}\n}\n`
  await putFile(file, (place) => writeFile(place, text))
  return sorted.length
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `${file}: not valid JSON: ${(error as Error).message}`,
      'Make it anew with --update-baseline.',
    )
  }
}

function notABaseline(file: string, error: z.ZodError): UsageError {
  const issue = error.issues[0]!
  const field = issue.path.map(String).join('.')
  return field === 'handspan.baseline'
    ? new UsageError(
        `${file} is a baseline of another version; this handspan reads version ${BASELINE_FORMAT}`,
        'Delete it and make it anew with --update-baseline, after a look at what it accepts.',
      )
    : new UsageError(
        `${file} is not a baseline: field "${field}": ${issue.message}`,
        'Name another file, or make one with --update-baseline.',
      )
}
