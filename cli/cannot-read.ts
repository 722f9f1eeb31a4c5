import { whyUnread } from '../store/why-unread.ts'
import { UsageError } from './output.ts'

/** What to say of a file that an option names and that was not read: the same as of any other file. */
export function cannotRead(file: string, error: unknown): UsageError {
  const { reason, remedy } = whyUnread(file, error)
  return new UsageError(reason, remedy)
}
