import { escapeText } from '../../model/escape.ts'
import { DEFAULT_DIRECTORY } from '../shared-options.ts'

/** What a command line calls a run: its id or the file it stands in, and the directory of the captures. */
export type Source = { name: string; dir: string }

/** A command to be pasted: ids come from whoever wrote the log, so a shell must take each of them as one word. */
export function pasted(words: readonly string[], dir: string): string {
  const where = dir === DEFAULT_DIRECTORY ? [] : ['--dir', dir]
  return ['handspan', ...words, ...where].map(shellWord).join(' ')
}

const PLAIN = /^[\p{L}\p{N}_@%+=:,./-]+$/u

function shellWord(word: string): string {
  if (escapeText(word) === word) return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
  // The quotes of bash, zsh and ksh that know escapes.
  const shown = word.replace(/./gsu, (char) => {
    if (char === "'" || char === '\\') return `\\${char}`
    return escapeText(char) === char ? char : bytesOf(char)
  })
  return `$'${shown}'`
}

function bytesOf(char: string): string {
  return [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
