import { escapeText } from './escape.ts'

const PLAIN = /^[\p{L}\p{N}_@%+=:,./-]+$/u

/** A word as a shell takes it for one, however hostile: bare if it is plain, else in quotes. */
export function shellWord(word: string): string {
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
