import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { isLogName } from '../model/log-name.ts'
import { StoreError } from './errors.ts'
import { filesOf, linesOfStdin } from './log-files.ts'
import { refusePipe } from './refuse-pipe.ts'
import { refuseUtf16 } from './refuse-utf16.ts'
import { type Unread, whyUnread } from './why-unread.ts'

export type { Unread }

/** What to do about a file that is none. */
export const NO_RUN_LOG =
  'A run log holds one JSON object a line, each with "run" and "kind". handspan import takes in spans that others wrote.'

/** The files that a path names; `-` is stdin. What cannot be read is passed to `pass`, and keeps nothing else from being read. */
export async function readableFiles(path: string, pass: (unread: Unread) => void): Promise<string[]> {
  const found: string[] = []
  const passOver = (file: string, error: unknown) => pass({ file, ...whyUnread(file, error) })
  try {
    if (path === '-') {
      await linesOfStdin()
      return [path]
    }
    refusePipe(path)
    for (const file of await filesOf(path)) {
      try {
        await access(file, constants.R_OK)
        if (isLogName(file)) refuseUtf16(await headOf(file), file)
        else await refuseDocument(file)
        found.push(file)
      } catch (error) {
        passOver(file, error)
      }
    }
  } catch (error) {
    passOver(path === '-' ? 'stdin' : path, error)
  }
  return found
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Its lines would each be called no JSON. What knows spans is loaded for a file that may hold some. Throws `unreadable`. */
async function refuseDocument(path: string): Promise<void> {
  const { recognisePath } = await import('./span-files.ts')
  const form = await recognisePath(path)
  if (form === 'run-log') return
  if (form === 'other')
    throw new StoreError('unreadable', `${path} is one JSON document and no run log.`, {
      path,
      remedy: NO_RUN_LOG,
    })
  throw new StoreError('unreadable', `${path} holds spans, which are judged in the store.`, {
    path,
    remedy: 'handspan import takes them in.',
  })
}
