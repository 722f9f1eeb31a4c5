import { escapeText } from '../../model/escape.ts'
import { shellWord } from '../../model/shell-word.ts'
import { calledHere } from '../called-as.ts'
import { DEFAULT_DIRECTORY, PLAIN_DIRECTORY } from '../shared-options.ts'

/** What a command line calls a run: its id or the file it stands in, and the directory of the captures. */
export type Source = { name: string; dir: string }

/** What a command was given to look at, if it can be named again: stdin cannot. */
export function sourceOf(name: string, dir: string): Source | undefined {
  return name === '-' ? undefined : { name, dir }
}

/**
 * A command to be pasted into the reader's shell, which acts on the same captures. Ids come from whoever wrote the log, so a
 * shell must take each of them as one word. The directory is an option, so it stands before a `--`. `call` stands for
 * `handspan`: JSON holds the name itself, wherever it is made.
 */
export function pasted(words: readonly string[], dir: string, call = calledHere()): string {
  const operands = words.includes('--') ? words.indexOf('--') : words.length
  return [call, ...words.toSpliced(operands, 0, ...where(dir)).map(quoted)].join(' ')
}

/** Commands in a sentence (`handspan runs lists them.`), which begin it or stand behind a colon or a comma, as `pasted` has them. */
export function pastedIn(text: string, commands: readonly string[], dir: string): string {
  const named = new RegExp(`(^|[:,.] )handspan (${commands.join('|')})\\b`, 'g')
  return text.replace(named, (_, before: string, command: string) => before + pasted([command], dir))
}

/** Nothing where a command finds the captures by itself. What HANDSPAN_DIR says here, it may not say in the reader's shell. */
function where(dir: string): string[] {
  return dir === PLAIN_DIRECTORY && DEFAULT_DIRECTORY === PLAIN_DIRECTORY ? [] : ['--dir', dir]
}

/** SQL, which has quotes of its own, is read more easily in double quotes. */
function quoted(word: string): string {
  const inDouble = word.includes("'") && !/["$`\\!]/.test(word) && escapeText(word) === word
  return inDouble ? `"${word}"` : shellWord(word)
}
