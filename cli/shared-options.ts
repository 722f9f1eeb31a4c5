import type { Command } from 'commander'
import { calledHere } from './called-as.ts'

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

/** Examples come before everything else in a command's help, called as whoever reads them calls the command. */
export function withExamples(command: Command, examples: readonly [call: string, what: string][]): Command {
  return command.addHelpText('before', () => {
    const calls = examples.map(([call]) =>
      call.replaceAll(/(^|\| )handspan /g, (_, before) => `${before}${calledHere()} `),
    )
    const width = Math.max(...calls.map((call) => call.length))
    const lines = calls.map((call, index) => `  ${call.padEnd(width)}  ${examples[index]![1]}`)
    return `Examples:\n${lines.join('\n')}\n`
  })
}
