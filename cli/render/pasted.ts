import { shellWord } from '../../model/shell-word.ts'
import { DEFAULT_DIRECTORY } from '../shared-options.ts'

/** What a command line calls a run: its id or the file it stands in, and the directory of the captures. */
export type Source = { name: string; dir: string }

/** A command to be pasted: ids come from whoever wrote the log, so a shell must take each of them as one word. */
export function pasted(words: readonly string[], dir: string): string {
  const where = dir === DEFAULT_DIRECTORY ? [] : ['--dir', dir]
  return ['handspan', ...words, ...where].map(shellWord).join(' ')
}
