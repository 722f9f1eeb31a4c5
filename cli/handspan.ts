#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { escapeLines } from '../model/escape.ts'
import { systemWords } from '../model/system-words.ts'
import { calledHere } from './called-as.ts'
import { backupCommand, restoreCommand } from './commands/backup.ts'
import { checkCommand } from './commands/check.ts'
import { compareCommand } from './commands/compare.ts'
import { demoCommand } from './commands/demo.ts'
import { diffCommand } from './commands/diff.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand, lakeCommand } from './commands/export.ts'
import { findingsCommand } from './commands/findings.ts'
import { importCommand } from './commands/import.ts'
import { infoCommand } from './commands/info.ts'
import { pruneCommand } from './commands/prune.ts'
import { queryCommand } from './commands/query.ts'
import { rebuildCommand } from './commands/rebuild.ts'
import { replayCommand } from './commands/replay.ts'
import { runsCommand } from './commands/runs.ts'
import { searchCommand } from './commands/search.ts'
import { sendCommand } from './commands/send.ts'
import { serveCommand } from './commands/serve.ts'
import { sqlCommand } from './commands/sql.ts'
import { tuiCommand } from './commands/tui.ts'
import { whatIfCommand } from './commands/what-if.ts'
import { complain, remediesName } from './complain.ts'
import { EXIT, endQuietly, note, packageVersion, type UsageError } from './output.ts'
import { refuseEmpty } from './refuse-empty.ts'
import { DEFAULT_DIRECTORY } from './shared-options.ts'

const program = new Command('handspan')
  .description(
    "Shows what really crossed when one agent handed a task to another: the sender's log beside the receiver's payload.",
  )
  .version(packageVersion())
  .showSuggestionAfterError()
  // A remedy names commands for the captures that this one was called for.
  .hook('preAction', (_, command) => {
    remediesName(commands, command.opts().dir || DEFAULT_DIRECTORY)
    refuseEmpty(command)
  })
  .configureOutput({
    outputError: (text, write) => write(escapeLines(text.replace(/^error: /, 'handspan: '))),
  })
  .exitOverride()

for (const define of [
  demoCommand,
  tuiCommand,
  runsCommand,
  replayCommand,
  diffCommand,
  findingsCommand,
  checkCommand,
  whatIfCommand,
  compareCommand,
  importCommand,
  serveCommand,
  sendCommand,
  rebuildCommand,
  queryCommand,
  sqlCommand,
  searchCommand,
  exportCommand,
  lakeCommand,
  backupCommand,
  restoreCommand,
  pruneCommand,
  infoCommand,
  doctorCommand,
]) {
  define(program)
}
const commands = program.commands.map((command) => command.name())
remediesName(commands, DEFAULT_DIRECTORY)

process.stdout.on('error', endQuietly)
// Complaints that nobody reads change nothing.
process.stderr.on('error', () => {})
// Node would end with 1, which says findings. The terminal UI has its own answer: it gives the terminal back first.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') === 1) process.exit(report(error))
})
process.once('SIGINT', () => process.exit(EXIT.interrupted))

// Without a word, a person at a terminal gets the terminal UI; everybody else gets the help.
const bare = process.argv.length === 2 && process.stdin.isTTY && process.stdout.isTTY

try {
  await program.parseAsync(bare ? [...process.argv, 'tui'] : process.argv)
} catch (error) {
  process.exitCode = report(error)
}

/** Says what went wrong and what to do, and gives the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return misread(error)
  const known = error instanceof Error ? error : new Error(String(error))
  const { message, remedy } = systemFault(known) ?? (known as Error & Partial<UsageError>)
  complain({ message, remedy: typeof remedy === 'string' ? remedy : '' })
  if (remedy === undefined && process.env.DEBUG) note(known.stack ?? '')
  return EXIT.failed
}

/** The parser has printed help, version or its own complaint already. */
function misread({ code, exitCode, message }: CommanderError): number {
  if (exitCode === 0) return EXIT.fine
  const call = calledHere()
  if (code === 'commander.unknownOption' && /unknown option '-[^']*\s/.test(message)) {
    note(
      `What begins with - and is no option stands last, behind --: ${call} COMMAND [options] -- '-- …'. ` +
        `A query is also read from stdin: ${call} sql -`,
    )
  } else if (isFile(/unknown option '(-.*)'/.exec(message)?.[1])) {
    note('This is a file: name it with ./ before it.')
  } else if (code !== 'commander.help') {
    const called = commands.find((name) => name === process.argv[2])
    note(
      called === undefined
        ? `${call} --help lists the commands, and ${call} COMMAND --help says how one is called.`
        : `${call} ${called} --help says how it is called.`,
    )
  }
  return EXIT.failed
}

function isFile(word: string | undefined): boolean {
  return word !== undefined && existsSync(word)
}

/** What the operating system refused, by the name of the file; undefined for any other error. */
function systemFault(error: NodeJS.ErrnoException): { message: string; remedy: string } | undefined {
  const { code, path, syscall } = error
  if (code === undefined || path === undefined || syscall === undefined || 'remedy' in error) return undefined
  // A directory that is there already is no error: what is in the way is a file.
  const isFile = code === 'EEXIST' && syscall === 'mkdir'
  const why = isFile ? ' is not a directory' : `: ${systemWords(error)}`
  return { message: `${path}${why}`, remedy: 'Name another path, or look at who may use this one.' }
}
