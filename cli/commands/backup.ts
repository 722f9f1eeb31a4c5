import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { note, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type BackupOptions = SharedOptions & { overwrite?: boolean }

export function backupCommand(program: Command): void {
  const command = program
    .command('backup')
    .summary('copy the database into a file')
    .description(
      'Writes one state of the database into a file, opens it again and counts. Agents go on recording, and commands go on ' +
        'asking, meanwhile.',
    )
    .argument('<file>', 'where to')
    .option('--overwrite', 'replace a file that is there')
    .action(backup)
  withExamples(withShared(command), [
    ['handspan backup handspan-2031-03-04.duckdb', 'once'],
    ['handspan backup /backups/handspan.duckdb --overwrite', 'for a nightly job'],
  ])
}

export function restoreCommand(program: Command): void {
  const command = program
    .command('restore')
    .summary('put a backup in the place of the database')
    .description(
      'Puts a backup in the place of the database. What the spool holds beyond it is read again. A database with events is ' +
        'replaced only with --overwrite, and then kept under another name.',
    )
    .argument('<file>', 'a file that handspan backup wrote')
    .option('--overwrite', 'replace a database that holds events')
    .action(restore)
  withExamples(withShared(command), [
    ['handspan restore backup.duckdb --dir new/', 'into another directory'],
    ['handspan restore backup.duckdb --overwrite', 'in place of the present one'],
  ])
}

async function backup(file: string, options: BackupOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const overwrite = options.overwrite === true
  const report = await withStore(options.dir, (store) => store.backup(file, { overwrite }))
  if (options.json) {
    printJson('backup', { file, ...report })
    return
  }
  const { readableBytes } = await import('../numbers.ts')
  const { escapeText } = await import('../../model/escape.ts')
  note(
    `${escapeText(file)}: ${plural(report.runs, 'run')}, ${plural(report.events, 'event')}, ${readableBytes(report.bytes)}; opened and counted.`,
  )
}

async function restore(file: string, options: BackupOptions): Promise<void> {
  const { openStore } = await import('../../store/index.ts')
  const { escapeText } = await import('../../model/escape.ts')
  // Not what is new in the spool first: it would be read into the database that is to be replaced.
  const { loadConfig } = await import('../config/load.ts')
  const { giveUp } = await import('../with-store.ts')
  const { makeCaptures } = await import('../captures.ts')
  makeCaptures(options.dir)
  const { settings } = await loadConfig()
  const store = await openStore(options.dir, { create: true, settings })
  try {
    const report = await store.restore(file, { overwrite: options.overwrite === true })
    const { events: added } = await store.ingest()
    if (options.json) {
      printJson('restore', { file, ...report, added })
      return
    }
    note(
      `Restored ${plural(report.runs, 'run')} with ${plural(report.events, 'event')}; ${added} more came from the spool.`,
    )
    if (report.kept !== undefined) note(`The database that was there is now ${escapeText(report.kept)}.`)
  } finally {
    await giveUp(store)
  }
}
