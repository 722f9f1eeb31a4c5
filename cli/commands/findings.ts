import type { Command } from 'commander'
import type { Suppressed, Suppressible } from '../../replay/suppress.ts'
import { note, outputWidth, print, printJson, UsageError } from '../output.ts'
import type { ShownFinding } from '../render/finding-text.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type FindingsOptions = SharedOptions & { limit: string; check?: string }

export function findingsCommand(program: Command): void {
  const command = program
    .command('findings')
    .summary('list findings of one run or of all')
    .description('Lists findings, the gravest first: of one run, or of all recorded runs.')
    .argument('[run]', 'id of a recorded run, or a run-log file')
    .option('--check <id>', 'only findings of this check')
    .option('--limit <number>', 'how many at the most', '50')
    .action(findings)
  withExamples(withShared(command), [
    ['handspan findings', 'of all runs'],
    ['handspan findings 01J9…', 'of one run, with what to do'],
    ['handspan findings --check op-in-doubt-key-missing', 'of one kind'],
  ])
}

async function findings(name: string | undefined, options: FindingsOptions): Promise<void> {
  const { wholeNumber } = await import('../numbers.ts')
  const limit = wholeNumber('--limit', options.limit, 1)
  if (options.check !== undefined) await refuseUnknown(options.check)
  const listed = name === undefined ? await ofAll(options) : await ofOne(name, options)
  const [found, suppressed] = [gravestFirst(listed.findings), gravestFirst(listed.suppressed)]
  const shown = found.slice(0, limit)
  if (options.json) {
    const some = { suppressed: suppressed.slice(0, limit), totalSuppressed: suppressed.length }
    printJson('findings', { findings: shown, total: found.length, ...some })
    return
  }
  const { suppressedWords } = await import('../../report/accepted.ts')
  const { escapeText } = await import('../../model/escape.ts')
  const { countBySeverity, findingText } = await import('../render/finding-text.ts')
  const { sourceOf } = await import('../render/pasted.ts')
  for (const finding of shown) {
    const source = sourceOf(name ?? finding.run, options.dir)
    print(`${findingText(finding, outputWidth(), source)}\n`)
  }
  for (const words of suppressedWords(suppressed)) print(escapeText(words))
  print(countBySeverity(found))
  if (shown.length < found.length)
    note(`${shown.length} of ${found.length} are shown. --limit ${found.length} shows all.`)
}

/** A check that there is not has no findings either; that must not look like good news. */
async function refuseUnknown(check: string): Promise<void> {
  const { checks } = await import('../../replay/catalogue/index.ts')
  const { suggestion } = await import('../config/nearest.ts')
  const ids = checks.map(({ id }) => id)
  if (ids.includes(check)) return
  throw new UsageError(
    `There is no check '${check}'.${suggestion(check, ids)}`,
    'docs/checks.md says what each of them looks for.',
  )
}

const RANK = ['error', 'warning', 'info']

type Shown = ShownFinding & Suppressible
type Listed = { findings: readonly Shown[]; suppressed: readonly Suppressed<Shown>[] }

function gravestFirst<F extends Shown>(findings: readonly F[]): F[] {
  return [...findings].sort((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity))
}

async function ofOne(name: string, { dir, check }: FindingsOptions): Promise<Listed> {
  const { lookAtOne } = await import('../analyses.ts')
  const { findings, suppressed } = await lookAtOne(name, dir)
  const asked = (finding: Shown) => check === undefined || finding.check === check
  return { findings: findings.filter(asked), suppressed: suppressed.filter(asked) }
}

async function ofAll({ dir, check }: FindingsOptions): Promise<Listed> {
  const { loadConfig } = await import('../config/load.ts')
  const { suppress } = await import('../../replay/suppress.ts')
  const { today } = await import('../../report/accepted.ts')
  const { withStore } = await import('../with-store.ts')
  const where = check === undefined ? '' : 'WHERE f.check_id = $1'
  const rows = await withStore(dir, (store) =>
    store.query(
      `SELECT f.* RENAME (check_id AS "check") FROM findings f JOIN runs r USING (run) ${where}
       ORDER BY r.started_at DESC NULLS LAST, f.run, f.handoff`,
      check === undefined ? [] : [check],
    ),
  )
  const { suppressions } = await loadConfig()
  return suppress(rows as unknown as Shown[], suppressions, today())
}
