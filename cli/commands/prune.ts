import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import type { PruneReport } from '../../store/index.ts'
import { note, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type PruneOptions = SharedOptions & { olderThan?: string; maxSize?: string; inDoubt?: boolean; yes?: boolean }

export function pruneCommand(program: Command): void {
  const command = program
    .command('prune')
    .summary('remove old runs and give their space back')
    .description(
      'Removes whole runs, oldest first, from the database and from the spool, and gives the space back to the disk. ' +
        'Without --yes it only says what would go. Runs with a write in doubt stay unless --in-doubt is given, ' +
        'and so do those that could not be judged yet.',
    )
    .option('--older-than <time>', 'runs whose latest event is older: 90d, 2031-03-04')
    .option('--max-size <size>', 'oldest runs until database and spool fit: 5GB')
    .option('--in-doubt', 'also runs with a write whose outcome is unknown, and runs not judged yet')
    .option('--yes', 'do it')
    .action(prune)
  withExamples(withShared(command), [
    ['handspan prune --older-than 90d', 'what would go'],
    ['handspan prune --older-than 90d --yes', 'remove it'],
    ['handspan prune --max-size 5GB --yes', 'for a nightly job'],
  ])
}

async function prune(options: PruneOptions): Promise<void> {
  if (options.olderThan === undefined && options.maxSize === undefined) {
    throw new UsageError('prune needs a bound.', 'Give --older-than 90d, --max-size 5GB, or both.')
  }
  const { readTime } = await import('../../queries/time-window.ts')
  const { byteSize } = await import('../numbers.ts')
  const before = options.olderThan === undefined ? undefined : readTime(options.olderThan, new Date())
  if (options.olderThan !== undefined && before === undefined) {
    throw new UsageError(
      `--older-than ${options.olderThan} is no time.`,
      'Say 90d, 12w, or a day: 2031-03-04.',
    )
  }
  const bounds = {
    before: before === undefined ? undefined : Date.parse(before),
    maxBytes: options.maxSize === undefined ? undefined : byteSize('--max-size', options.maxSize),
    inDoubt: options.inDoubt === true,
    dryRun: options.yes !== true,
  }
  const { withStore } = await import('../with-store.ts')
  const report = await withStore(options.dir, (store) => store.prune(bounds))
  if (options.json) printJson('prune', report)
  else await say(report, bounds.maxBytes)
}

async function say(report: PruneReport, maxBytes: number | undefined): Promise<void> {
  const { readableBytes } = await import('../numbers.ts')
  const { escapeText } = await import('../../model/escape.ts')
  const { runs, events, handoffs, segments, segmentBytes, bytesBefore, bytesAfter, spared } = report
  const would = report.dryRun ? 'Would remove' : 'Removed'
  const about = report.dryRun ? 'about ' : ''
  const between = report.oldest === null ? '' : `, from ${report.oldest} to ${report.newest}`
  note(
    `${would} ${plural(runs, 'run')} with ${plural(handoffs, 'handoff')} and ${plural(events, 'event')}${between}.`,
  )
  if (segments > 0) note(`${would} ${plural(segments, 'spool segment')} (${readableBytes(segmentBytes)}).`)
  note(
    `Database and spool: ${readableBytes(bytesBefore)} before, ${about}${readableBytes(bytesAfter)} after.`,
  )
  if (spared > 0) {
    const names = report.sparedRuns.map((run) => escapeText(run)).join(', ')
    const unjudged =
      report.unjudged === 0 ? '' : `; ${report.unjudged} of them not judged yet, so that nobody knows`
    note(
      `${plural(spared, 'run stays', 'runs stay')} with a write in doubt (${names}${spared > report.sparedRuns.length ? ', …' : ''})${unjudged}. --in-doubt removes ${spared === 1 ? 'it' : 'them'} too.`,
    )
  }
  if (maxBytes !== undefined && bytesAfter > maxBytes) {
    note(`That is still more than ${readableBytes(maxBytes)}: nothing else may go.`)
  }
  if (report.dryRun && runs + segments > 0) note('Nothing was changed. --yes does it.')
}
