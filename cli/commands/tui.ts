import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { isLogName } from '../../model/log-name.ts'
import type { Shown } from '../../tui/index.ts'
import type { Source } from '../../tui/source.ts'
import { complain } from '../complain.ts'
import { UsageError } from '../output.ts'
import { refusalNotes } from '../refusal-notes.ts'
import { pasted } from '../render/pasted.ts'
import { DEFAULT_DIRECTORY, withExamples } from '../shared-options.ts'

type TuiOptions = { dir: string; plain?: boolean; config?: string }

export function tuiCommand(program: Command): void {
  const command = program
    .command('tui')
    .summary('open the terminal UI: runs, replay, what crossed, findings')
    .description(
      'Opens the terminal UI on the recorded runs, or directly on run-log files. Where nothing can be drawn ' +
        '(no terminal, CI, TERM=dumb) or with --plain, the same screens are printed as text.',
    )
    .argument(
      '[file|run...]',
      'run-log files, or directories of them, read without a database; or the id of a recorded run',
    )
    .option('--dir <directory>', 'directory of the captures', DEFAULT_DIRECTORY)
    .option('--plain', 'print text, without taking the terminal over')
    .option('--config <file>', 'configuration, instead of the nearest handspan.config.*')
    .action(openTui)
  withExamples(command, [
    ['handspan tui', 'the runs in ./.handspan'],
    ['handspan tui 01J9…', 'that run; latest is the newest'],
    ['handspan tui incident.jsonl', 'one file, without importing it'],
    ['handspan tui --plain incident.jsonl | less', 'the same as text'],
  ])
}

export async function openTui(names: readonly string[], options: TuiOptions): Promise<void> {
  const { runTui } = await import('../../tui/index.ts')
  const source = shown(names, options.dir)
  if ('directory' in source) (await import('../captures.ts')).findCaptures(source.directory)
  const project = async () => (await import('../config/load.ts')).loadConfig(options.config)
  const paste = (words: readonly string[]) => pasted(words, options.dir)
  process.exitCode = await runTui({ source, plain: options.plain ?? false, project, paste, sayUnread })
}

/** Files if any name is on disk; else one run of the store. What reads logs is not loaded for it: the first frame waits. */
function shown(names: readonly string[], directory: string): Shown {
  if (names.some((name) => name === '-' || existsSync(name))) return { files: names }
  if (names.length < 2 && !isLogName(names[0] ?? '')) return { directory, run: names[0] }
  throw new UsageError(
    `${names.join(', ')} ${names.length === 1 ? 'does' : 'do'} not exist.`,
    names.length === 1 ? 'Check the path.' : 'Name run-log files, or one recorded run.',
  )
}

function sayUnread({ unread = [], refused = [] }: Pick<Source, 'unread' | 'refused'>): void {
  for (const { reason, remedy } of unread) complain({ message: reason, remedy })
  refused.forEach(refusalNotes())
}
