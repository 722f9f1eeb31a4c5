import type { Command } from 'commander'

/** Options that every command with data has. */
export type SharedOptions = { dir: string; json?: boolean }

/** Where captures are if nothing says something else. */
export const PLAIN_DIRECTORY = '.handspan'

/** Where captures are unless `--dir` says something else. */
export const DEFAULT_DIRECTORY = process.env.HANDSPAN_DIR || PLAIN_DIRECTORY

/** Adds `--dir` and `--json`. */
export function withShared(command: Command): Command {
  return command
    .option('--dir <directory>', 'directory of the captures', DEFAULT_DIRECTORY)
    .option('--json', 'print JSON in a versioned envelope')
}

/** Examples come before everything else in a command's help. */
export function withExamples(command: Command, examples: readonly [call: string, what: string][]): Command {
  const width = Math.max(...examples.map(([call]) => call.length))
  const lines = examples.map(([call, what]) => `  ${call.padEnd(width)}  ${what}`)
  return command.addHelpText('before', `Examples:\n${lines.join('\n')}\n`)
}
