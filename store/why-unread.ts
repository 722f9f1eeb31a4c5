import { plural } from '../model/counts.ts'
import { systemWords } from '../model/system-words.ts'
import { StoreError } from './errors.ts'

/** Why something that was named was not read, as a sentence that names it, and what to do. */
export type WhyUnread = { reason: string; remedy: string }

/** What was named and not read: a file, a folder, or a run. */
export type Unread = { file: string } & WhyUnread

/** What an error says of a path that was to be read. Throws it on if it says nothing of that: then the fault is elsewhere. */
export function whyUnread(path: string, error: unknown): WhyUnread {
  if (error instanceof StoreError) {
    if (error.code !== 'unreadable') throw error
    return { reason: error.message, remedy: error.remedy }
  }
  const fault = error as NodeJS.ErrnoException
  // Of a folder it may be something below it.
  const { code, path: named = path } = fault
  if (code === undefined) throw error
  if (code === 'ENOENT') return { reason: `${named} does not exist.`, remedy: 'Check the path.' }
  if (code === 'EISDIR') return { reason: `${named} is a folder.`, remedy: 'Name a file.' }
  const refused = code === 'EACCES' || code === 'EPERM'
  return {
    reason: `${named} cannot be read: ${systemWords(fault)}.`,
    remedy: refused ? 'Make it readable for this user.' : 'Copy it to where it can be read.',
  }
}

/** What to say of a file of another kind: not one of its lines is what is read. */
export function nothingIn(file: string, lines: number, what: string, remedy: string): Unread {
  const none = `none of its ${plural(lines, 'line')} is ${what}`
  return { file, reason: `${file} holds nothing that can be read: ${none}.`, remedy }
}
