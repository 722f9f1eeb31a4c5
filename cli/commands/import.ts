import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import type { ImportReport } from '../../store/index.ts'
import { complain } from '../complain.ts'
import { EXIT, note, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function importCommand(program: Command): void {
  const command = program
    .command('import')
    .summary('take run logs and spans of others into the store')
    .description(
      'Takes run-log files into the store, and spans that others wrote: OTLP (JSON, the JSON lines of a Collector, protobuf) ' +
        'and exports of OpenAI, Langfuse and LangSmith, from which runs are read (docs/foreign-spans.md). What a file holds is ' +
        'seen from its content; of a directory the .jsonl and .ndjson files are taken, and the .json files that hold spans. ' +
        'Everything is stored once, however often it is imported; what cannot be read is kept in quarantine with file, line ' +
        'and reason.\n' +
        'Exit code: 0 fine, 2 a file could not be read; the others are stored all the same.',
    )
    .argument('<file|directory...>', 'files, directories of them, or - for stdin')
    .action(importLogs)
  withExamples(withShared(command), [
    ['handspan import incident.jsonl', 'one file'],
    ['handspan import logs/', 'what is below a directory'],
    ['handspan import traces.json export.pb', 'spans, as any instrumentation exports them'],
    ['zcat old.jsonl.gz | handspan import -', 'from stdin'],
  ])
}

async function importLogs(paths: string[], options: SharedOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const named = paths.filter((path) => path !== '-')
  const reports = await withStore(
    options.dir,
    async (store, onProgress) => [
      ...(named.length === 0 ? [] : [await store.importPaths(named, onProgress)]),
      ...(named.length === paths.length
        ? []
        : [await store.importStream(process.stdin, 'stdin', onProgress)]),
    ],
    { create: true },
  )
  const counts = sum(reports)
  for (const { reason, remedy } of counts.unread) complain({ message: reason, remedy })
  if (counts.unread.length > 0) process.exitCode = EXIT.failed
  if (options.json) {
    printJson('import', counts)
    return
  }
  const { pasted } = await import('../render/pasted.ts')
  const { events, spans, duplicates, quarantined, runs, files, unread } = counts
  const known = duplicates === 0 ? '' : `, ${duplicates.toLocaleString('en-US')} known already`
  const stored = [
    events > 0 || spans === 0 ? plural(events, 'event') : [],
    spans > 0 ? plural(spans, 'span') : [],
  ]
    .flat()
    .join(' and ')
  note(`${stored} stored${known}; ${plural(runs, 'run')} judged.`)
  if (unread.length > 0) {
    const read = files === 0 ? 'No file was' : plural(files, 'file was', 'files were')
    note(`${read} read. What could not be read is named above.`)
  }
  if (spans > 0) {
    const sql = "SELECT run, body->>'text' FROM events WHERE kind = 'import.note'"
    note(`What spans do not show is noted in their runs: ${pasted(['sql', sql], options.dir)}`)
  }
  if (quarantined > 0) {
    const sql = 'SELECT source, line_number, reason FROM quarantine'
    note(`${plural(quarantined, 'line')} could not be read: ${pasted(['sql', sql], options.dir)}`)
  }
}

function sum(reports: readonly ImportReport[]): ImportReport {
  const add = (field: Exclude<keyof ImportReport, 'unread'>) =>
    reports.reduce((total, report) => total + report[field], 0)
  return {
    events: add('events'),
    spans: add('spans'),
    duplicates: add('duplicates'),
    quarantined: add('quarantined'),
    runs: add('runs'),
    files: add('files'),
    unread: reports.flatMap(({ unread }) => unread),
  }
}
