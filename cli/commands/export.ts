import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { note, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type ExportOptions = SharedOptions & { parquet: string; all?: boolean }

export function exportCommand(program: Command): void {
  const command = program
    .command('export')
    .summary('write the views as Parquet')
    .description(
      'Adds the runs to a lake: a folder of Parquet files, one folder a view and in it one a day, that any engine reads. ' +
        'Runs that are in it already are left out. Several stores may share one lake.',
    )
    .requiredOption('--parquet <folder>', 'the lake; made if it is missing')
    .option('--all', 'also runs that it has already: after a rebuild with new checks')
    .action(exportRuns)
  withExamples(withShared(command), [
    ['handspan export --parquet lake/', 'what is new'],
    ['handspan query key-coverage --db lake/', 'the metrics run over it'],
    ['handspan lake compact lake/', 'fewer, larger files'],
  ])
}

export function lakeCommand(program: Command): void {
  const lake = program.command('lake').summary('look after a lake').description('Looks after a lake.')
  const command = lake
    .command('compact')
    .summary('make one file of several')
    .description(
      'Makes one file of each view and day that has several, and leaves out what later exports replaced. Every query says ' +
        'the same before and after; others may read and add runs meanwhile.',
    )
    .argument('<folder>', 'the lake')
    .option('--json', 'print JSON in a versioned envelope')
    .action(compact)
  withExamples(command, [['handspan lake compact lake/', 'after many exports']])
}

async function exportRuns(options: ExportOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const { addToLake } = await import('../../lake/add-to-lake.ts')
  const { makeDirectory } = await import('../captures.ts')
  const report = await withStore(options.dir, (store) => {
    makeDirectory(options.parquet, '--parquet')
    return addToLake(store, options.parquet, { all: options.all === true })
  })
  if (options.json) {
    printJson('export', report)
    return
  }
  const { readableBytes } = await import('../numbers.ts')
  const { escapeText } = await import('../../model/escape.ts')
  const known = report.known === 0 ? '' : `; ${report.known} were there already`
  note(
    `${escapeText(report.folder)}: ${plural(report.runs, 'run')} added in ${plural(report.files, 'file')} (${readableBytes(report.bytes)})${known}.`,
  )
}

async function compact(folder: string, options: { json?: boolean }): Promise<void> {
  const { compactLake } = await import('../../lake/compact.ts')
  const report = await compactLake(folder)
  if (options.json) {
    printJson('lake compact', report)
    return
  }
  const { readableBytes } = await import('../numbers.ts')
  const { filesBefore, filesAfter, bytesBefore, bytesAfter, days, dropped } = report
  note(
    `${plural(days, 'day')} compacted: ${plural(filesBefore, 'file')} (${readableBytes(bytesBefore)}) before, ${filesAfter} (${readableBytes(bytesAfter)}) after.`,
  )
  if (dropped > 0) note(`Left out: ${plural(dropped, 'export')} that later ones had replaced.`)
}
