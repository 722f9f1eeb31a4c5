import type { Command } from 'commander'
import { bytes, plural } from '../../model/counts.ts'
import { packageVersion, print, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function infoCommand(program: Command): void {
  const command = program
    .command('info')
    .summary('paths, versions and counters')
    .description('Shows where everything is, in which versions, how much was stored and how much was lost.')
    .action(info)
  withExamples(withShared(command), [
    ['handspan info', 'of ./.handspan'],
    ['handspan info --dir /var/lib/handspan', 'of another directory'],
  ])
}

async function info(options: SharedOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const { readLosses } = await import('../losses.ts')
  const found = await withStore(options.dir, async (store) => ({
    ...(await store.info()),
    lost: await readLosses(store),
  }))
  if (options.json) {
    printJson('info', { node: process.version, ...found })
    return
  }
  const { escapeText } = await import('../../model/escape.ts')
  const rows: [string, string | number][] = [
    ['handspan', packageVersion()],
    ['node', process.version],
    ['DuckDB', found.duckdbVersion],
    ['schema version', found.schemaVersion],
    ['directory', found.directory],
    ['database', `${found.database} (${bytes(found.databaseBytes)})`],
    ['spool', `${found.spool} (${plural(found.segments, 'segment')}, ${bytes(found.spoolBytes)})`],
    ['not read yet', bytes(found.pendingBytes)],
    ['events', found.events],
    ['runs', found.runs],
    ['handoffs', found.handoffs],
    ['findings', found.findings],
    ['in quarantine', found.quarantined],
    ['lost by agents', found.lost],
  ]
  for (const [name, value] of rows) print(`${name.padEnd(15)} ${escapeText(String(value))}`)
}
