import type { Command } from 'commander'
import { note, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function importCommand(program: Command): void {
  const command = program
    .command('import')
    .summary('take run-log files into the store')
    .description(
      'Takes run-log files into the store. An event is stored once, however often it is imported; lines that cannot be ' +
        'read are kept in quarantine with file, line and reason.',
    )
    .argument('<file|directory...>', 'run-log files, directories of .jsonl files, or - for stdin')
    .action(importLogs)
  withExamples(withShared(command), [
    ['handspan import incident.jsonl', 'one file'],
    ['handspan import logs/', 'every .jsonl file below a directory'],
    ['zcat old.jsonl.gz | handspan import -', 'from stdin'],
  ])
}

async function importLogs(paths: string[], options: SharedOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const files = paths.filter((path) => path !== '-')
  const reports = await withStore(
    options.dir,
    async (store, onProgress) => [
      ...(files.length === 0 ? [] : [await store.importPaths(files, onProgress)]),
      ...(files.length === paths.length
        ? []
        : [await store.importStream(process.stdin, 'stdin', onProgress)]),
    ],
    { create: true },
  )
  const counts = sum(reports)
  if (options.json) {
    printJson('import', counts)
    return
  }
  const { events, duplicates, quarantined, runs } = counts
  const known = duplicates === 0 ? '' : `, ${duplicates} known already`
  note(`${events} events stored${known}; ${runs} runs judged.`)
  if (quarantined > 0) {
    note(
      `${quarantined} lines could not be read: handspan sql "SELECT source, line_number, reason FROM quarantine"`,
    )
  }
}

type Counts = { events: number; duplicates: number; quarantined: number; runs: number }

function sum(reports: readonly Counts[]): Counts {
  const add = (field: keyof Counts) => reports.reduce((total, report) => total + report[field], 0)
  return {
    events: add('events'),
    duplicates: add('duplicates'),
    quarantined: add('quarantined'),
    runs: add('runs'),
  }
}
