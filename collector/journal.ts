import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * A spool segment that many requests write into, with one wait for the disk for all that came meanwhile: what append()
 * has promised survives the death of the process and of the machine.
 */

// A segment is closed at this size or age, like those of agents.
const SEGMENT_BYTES = 64 * 1024 * 1024
const SEGMENT_MILLISECONDS = 60 * 60_000
// Requests that share one write are put together in memory up to this.
const GROUP_BYTES = 8 * 1024 * 1024
const TRIES = 20

type Waiting = { lines: Buffer; resolve: () => void; reject: (error: unknown) => void }
type Open = { file: FileHandle; bytes: number; openedAt: number }

/** What has been written since start. `syncs`: waits for the disk, fewer than requests when many come at once. */
export type JournalCounts = { bytes: number; syncs: number; failures: number }

export class Journal {
  readonly counts: JournalCounts = { bytes: 0, syncs: 0, failures: 0 }
  readonly #spool: string
  readonly #writer: string
  readonly #ending: string
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #segment: Open | undefined
  #next = 1
  #closed = false

  /** Segments are `<spool>/<writer>-<n><ending>`. Nothing is touched before the first append. */
  constructor(spool: string, writer: string, ending: string) {
    this.#spool = spool
    this.#writer = writer
    this.#ending = ending
  }

  /** Writes whole lines. Resolves once they are on disk; rejects with what the file system says, and then they are not kept. */
  append(lines: Buffer): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lines, resolve, reject })
      this.#writing ??= this.#writeAll().finally(() => {
        this.#writing = undefined
      })
    })
  }

  /** Closes the segment after what is being written. Appending afterwards is refused. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#writing
    await this.#drop()
  }

  async #writeAll(): Promise<void> {
    // What comes in this turn of the event loop goes into the first write as well.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup()
      try {
        await this.#write(Buffer.concat(group.map(({ lines }) => lines)))
        for (const { resolve } of group) resolve()
      } catch (error) {
        this.counts.failures++
        // The next one starts a new segment: this one may lie on a disk that is gone.
        await this.#drop()
        for (const { reject } of group) reject(error)
      }
    }
  }

  #takeGroup(): Waiting[] {
    let bytes = 0
    const end = this.#waiting.findIndex(({ lines }, index) => {
      bytes += lines.length
      return index > 0 && bytes > GROUP_BYTES
    })
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }

  async #write(lines: Buffer): Promise<void> {
    const segment = await this.#current(lines.length)
    let done = 0
    try {
      while (done < lines.length) {
        const { bytesWritten } = await segment.file.write(lines, done)
        if (bytesWritten <= 0) throw new Error('the file system took no bytes')
        done += bytesWritten
      }
      await segment.file.datasync()
    } catch (error) {
      // Nobody was promised these lines, and they will be sent again. A reader may have seen them: it knows them by their ids.
      await segment.file.truncate(segment.bytes).catch(() => {})
      throw error
    }
    segment.bytes += done
    this.counts.bytes += done
    this.counts.syncs++
  }

  async #current(bytes: number): Promise<Open> {
    const present = this.#segment
    if (present !== undefined) {
      const isFull = present.bytes > 0 && present.bytes + bytes > SEGMENT_BYTES
      const isOld = Date.now() - present.openedAt >= SEGMENT_MILLISECONDS
      // Deleted under the writer: writes would succeed and nobody would ever read them.
      const isDeleted = (await present.file.stat()).nlink === 0
      if (!isFull && !isOld && !isDeleted) return present
      await this.#drop()
    }
    const file = await this.#open()
    this.#segment = { file, bytes: 0, openedAt: Date.now() }
    return this.#segment
  }

  async #open(): Promise<FileHandle> {
    const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants
    for (let tries = 0; ; tries++) {
      try {
        // Exclusive: never append to what another writer has begun.
        const path = join(this.#spool, `${this.#writer}-${this.#next}${this.#ending}`)
        const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600)
        this.#next++
        await syncFolder(this.#spool)
        return file
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (tries === TRIES || (code !== 'ENOENT' && code !== 'EEXIST')) throw error
        if (code === 'ENOENT') await mkdir(this.#spool, { recursive: true, mode: 0o700 })
        else this.#next++
      }
    }
  }

  async #drop(): Promise<void> {
    const segment = this.#segment
    this.#segment = undefined
    // Closing can fail on network file systems, and then nothing is left to do.
    await segment?.file.close().catch(() => {})
  }
}

/** A new file's name is safe only once its folder is. Systems that cannot do this do not need it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close().catch(() => {})
}
