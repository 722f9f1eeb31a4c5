import type { Command } from 'commander'
import { plural } from '../../model/counts.ts'
import { note, printJson } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

export function rebuildCommand(program: Command): void {
  const command = program
    .command('rebuild')
    .summary('derive everything anew from the events')
    .description(
      'Folds, diffs and checks every run anew. The events are the truth; everything else is made from them.',
    )
    .action(rebuild)
  withExamples(withShared(command), [
    ['handspan rebuild', 'after an upgrade with new checks, or a change of handspan.config'],
  ])
}

async function rebuild(options: SharedOptions): Promise<void> {
  const { withStore } = await import('../with-store.ts')
  const counts = await withStore(options.dir, (store, onProgress) => store.rebuild(onProgress), {
    rebuilds: true,
  })
  if (options.json) printJson('rebuild', counts)
  else note(`${plural(counts.runs, 'run')} derived anew.`)
}
