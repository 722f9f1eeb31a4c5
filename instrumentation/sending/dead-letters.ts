import { createReadStream } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import type { SpoolSegment } from './segments.ts'

/** Bytes of a segment that no server took, and why. `status` is the answer's, if there was one. */
export type DeadLetter = { offset: number; bytes: number; reason: string; status?: number }

/**
 * Puts bytes of a segment where a person can find them: `<dir>/dead-letters/<segment>-<offset>.jsonl` holds them
 * verbatim, `….json` beside it says why. Both are on disk when this returns; doing it twice leaves one of each. Throws
 * what the file system throws.
 */
export async function bury(directory: string, segment: SpoolSegment, letter: DeadLetter): Promise<void> {
  const folder = path.join(directory, 'dead-letters')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { offset, bytes, reason, status } = letter
  const name = path.join(folder, `${segment.name.replace(/\.jsonl$/, '')}-${offset}`)
  const lines = `${name}.jsonl`
  await write(lines, async (aside) => {
    const source = createReadStream(segment.path, { start: offset, end: offset + bytes - 1 })
    for await (const chunk of source) await aside.writeFile(chunk)
  })
  const why = {
    segment: segment.name,
    offset,
    bytes,
    reason,
    ...(status === undefined ? {} : { status }),
    at: new Date().toISOString(),
    lines: path.basename(lines),
  }
  await write(`${name}.json`, async (aside) => {
    await aside.writeFile(`${JSON.stringify(why)}\n`)
  })
}

type Handle = Awaited<ReturnType<typeof open>>

/** Whoever looks in meets a whole file or none. */
async function write(file: string, fill: (aside: Handle) => Promise<void>): Promise<void> {
  const aside = `${file}.${process.pid}.part`
  const handle = await open(aside, 'w', 0o600)
  try {
    await fill(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(aside, file)
}
