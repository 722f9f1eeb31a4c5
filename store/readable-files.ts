import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { filesOf } from './log-files.ts'
import { refusePipe } from './refuse-pipe.ts'
import { type WhyUnread, whyUnread } from './why-unread.ts'

/** What was named and could not be looked at: the argument or file, why, and what to do. */
export type Unread = { name: string } & WhyUnread

/** The files that a path names. What cannot be read is passed to `pass`, and keeps nothing else from being read. */
export async function readableFiles(path: string, pass: (unread: Unread) => void): Promise<string[]> {
  const found: string[] = []
  const passOver = (name: string) => (error: unknown) => pass({ name, ...whyUnread(name, error) })
  try {
    refusePipe(path)
    for (const file of await filesOf(path)) {
      await access(file, constants.R_OK).then(() => found.push(file), passOver(file))
    }
  } catch (error) {
    passOver(path)(error)
  }
  return found
}
