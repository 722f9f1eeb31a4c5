import { shellWord } from '../model/shell-word.ts'
import type { Source } from './source.ts'

/** A command of handspan as it is pasted into a shell, where it acts on the same captures; the words come without its name. */
export type Paste = (words: readonly string[]) => string

/** Where nobody says how the program is called, or where its captures are. */
export const pasteNamed: Paste = (words) => ['handspan', ...words.map(shellWord)].join(' ')

/** What a remedy says about other commands (`handspan runs lists them.`), each as it is pasted. */
export function pastedRemedy(remedy: string, paste: Paste): string {
  return remedy.replace(
    /(^|[:,.] )handspan ([a-z][a-z-]*)/gu,
    (_, before: string, name: string) => before + paste([name]),
  )
}

/** What needs a store, and the command that makes one of the files that are shown. */
export function needsStore(what: string, { source, paste }: { source: Source; paste: Paste }): string {
  const paths = (source.paths ?? []).filter((path) => path !== '-')
  return `${what} a store; files have none: ${paste(['import', ...(paths.length === 0 ? ['FILE'] : paths)])}`
}

/** Why no command can be given for a run. */
export function cannotBeNamed({ source, paste }: { source: Source; paste: Paste }): string {
  if (source.paths === undefined) return 'no command takes an id like the one of this run'
  return needsStore('a command that names this run needs', { source, paste })
}
