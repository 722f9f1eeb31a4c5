import { statSync } from 'node:fs'
import { StoreError } from './errors.ts'

/** A file is read more than once, and by whoever owns the database. Throws `unreadable`, or what the file system throws. */
export function refusePipe(path: string): void {
  const found = statSync(path)
  if (!found.isFIFO() && !found.isSocket()) return
  throw new StoreError('unreadable', `${path} is no file but a pipe.`, {
    path,
    remedy: 'Pipe what it gives into the command, and name - for it.',
  })
}
