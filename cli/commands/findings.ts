import type { Command } from 'commander'
import { note, outputWidth, print, printJson } from '../output.ts'
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
  const found = (
    name === undefined ? await ofAll(options.dir, options.check) : await ofOne(name, options)
  ).sort((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity))
  const shown = found.slice(0, limit)
  if (options.json) {
    printJson('findings', { findings: shown, total: found.length })
    return
  }
  const { countBySeverity, findingText } = await import('../render/finding-text.ts')
  for (const finding of shown) print(`${findingText(finding, outputWidth(), name ?? finding.run)}\n`)
  print(countBySeverity(found))
  if (shown.length < found.length)
    note(`${shown.length} of ${found.length} are shown. --limit ${found.length} shows all.`)
}

const RANK = ['error', 'warning', 'info']

type Listed = import('../render/finding-text.ts').ShownFinding

async function ofOne(name: string, options: FindingsOptions): Promise<Listed[]> {
  const { lookAtOne } = await import('../analyses.ts')
  const { findings } = await lookAtOne(name, options.dir)
  return findings.filter(({ check }) => options.check === undefined || check === options.check)
}

async function ofAll(directory: string, check: string | undefined): Promise<Listed[]> {
  const { withStore } = await import('../with-store.ts')
  const where = check === undefined ? '' : 'WHERE f.check_id = $1'
  const rows = await withStore(directory, (store) =>
    store.query(
      `SELECT f.* RENAME (check_id AS "check") FROM findings f JOIN runs r USING (run) ${where}
       ORDER BY r.started_at DESC NULLS LAST, f.run, f.handoff`,
      check === undefined ? [] : [check],
    ),
  )
  return rows as unknown as Listed[]
}
