import type { Command } from 'commander'
import { withExamples } from '../shared-options.ts'

type TuiOptions = { dir: string; plain?: boolean; config?: string }

export function tuiCommand(program: Command): void {
  const command = program
    .command('tui')
    .summary('open the terminal UI: runs, replay, what crossed, findings')
    .description(
      'Opens the terminal UI on the recorded runs, or directly on run-log files. Where nothing can be drawn ' +
        '(no terminal, CI, TERM=dumb) or with --plain, the same screens are printed as text.',
    )
    .argument('[files...]', 'run-log files, or directories of them, read without a database')
    .option('--dir <directory>', 'directory of the captures', process.env.HANDSPAN_DIR || '.handspan')
    .option('--plain', 'print text, without taking the terminal over')
    .option('--config <file>', 'configuration, instead of the nearest handspan.config.*')
    .action(openTui)
  withExamples(command, [
    ['handspan tui', 'the runs in ./.handspan'],
    ['handspan tui incident.jsonl', 'one file, without importing it'],
    ['handspan tui --plain incident.jsonl | less', 'the same as text'],
  ])
}

export async function openTui(files: readonly string[], options: TuiOptions): Promise<void> {
  const { runTui } = await import('../../tui/index.ts')
  const source = files.length > 0 ? { files } : { directory: options.dir }
  const project = async () => (await import('../config/load.ts')).loadConfig(options.config)
  process.exitCode = await runTui({ source, plain: options.plain ?? false, project })
}
