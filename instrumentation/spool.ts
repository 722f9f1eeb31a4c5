import { randomBytes } from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import { threadId } from 'node:worker_threads'
import { appendLine, closeSegment, isDeleted, openSegment, type Segment, spoolBytes } from './segment.ts'

/*
 * The spool: where captures wait for the store. One writer a thread, append-only segments of JSON lines, written
 * synchronously: what append() has accepted survives the death of the process. Agents do nothing else with the disk.
 */

/** Bounds of the spool. */
export type SpoolLimits = {
  /** A segment is closed when it reaches this size, in bytes. Default 64 MiB. */
  segmentBytes: number
  /** A segment is closed when it is this old, in milliseconds. Default one hour. */
  segmentAge: number
  /** All segments of all writers together, in bytes. Over it events are dropped and counted. Default 1 GiB. */
  totalBytes: number
}

export const DEFAULT_LIMITS: SpoolLimits = {
  segmentBytes: 64 * 1024 * 1024,
  segmentAge: 60 * 60_000,
  totalBytes: 1024 * 1024 * 1024,
}

/** Why a line was not written: the code of the file system (ENOSPC, EACCES …) or `full`. */
export type Refusal = { reason: string }

// How often the other writers' share is looked at again: by own growth, and by time when the spool is full.
const RESCAN_MS = 1_000

export class Spool {
  /** Name of this writer, in file names and in every event. */
  readonly writer = writerName()
  readonly directory: string
  readonly #limits: SpoolLimits
  readonly #sync: boolean
  #segment: Segment | undefined
  #next = 1
  #total = 0
  #growth = Number.POSITIVE_INFINITY
  #scannedAt = 0
  #closed = false

  /** `directory` is the capture directory; segments go into its `spool`. Nothing is touched before the first append. */
  constructor(directory: string, limits: SpoolLimits, sync: boolean) {
    this.directory = path.join(path.resolve(directory), 'spool')
    this.#limits = limits
    this.#sync = sync
  }

  /** Writes one line (with its line feed). Undefined if it is in the file, else the reason. Never throws. */
  append(line: Buffer): Refusal | undefined {
    if (this.#closed) return { reason: 'closed' }
    try {
      if (!this.#fits(line.length)) return { reason: 'full' }
      appendLine(this.#current(line.length), line, this.#sync)
      this.#total += line.length
      this.#growth += line.length
      return undefined
    } catch (error) {
      // The next append starts a new segment: this one may lie on a disk that is gone.
      this.#drop()
      return { reason: (error as NodeJS.ErrnoException).code ?? 'error' }
    }
  }

  /** Closes the segment. Appending afterwards is refused; closing again does nothing. */
  close(): void {
    this.#closed = true
    this.#drop()
  }

  #current(bytes: number): Segment {
    const open = this.#segment
    if (open !== undefined) {
      const full = open.bytes > 0 && open.bytes + bytes > this.#limits.segmentBytes
      const old = Date.now() - open.openedAt >= this.#limits.segmentAge
      if (!full && !old && !isDeleted(open)) return open
      this.#drop()
    }
    const opened = openSegment(this.directory, this.writer, this.#next)
    this.#next = opened.number + 1
    this.#segment = opened
    return opened
  }

  #fits(bytes: number): boolean {
    const { totalBytes, segmentBytes } = this.#limits
    if (this.#growth >= segmentBytes) this.#scan()
    if (this.#total + bytes <= totalBytes) return true
    if (Date.now() - this.#scannedAt >= RESCAN_MS) this.#scan()
    return this.#total + bytes <= totalBytes
  }

  #scan(): void {
    this.#total = spoolBytes(this.directory)
    this.#growth = 0
    this.#scannedAt = Date.now()
  }

  #drop(): void {
    if (this.#segment !== undefined) closeSegment(this.#segment)
    this.#segment = undefined
  }
}

/** `<host>-<pid>-<start>`: no two writers share it, also after a restart under the same pid or in a worker thread. */
function writerName(): string {
  const host = hostInNames()
  const thread = threadId === 0 ? '' : `.${threadId}`
  return `${host}-${process.pid}${thread}-${Date.now().toString(36)}${randomBytes(3).toString('hex')}`
}

/** This host as it stands in the names of its writers. */
export function hostInNames(): string {
  return (
    os
      .hostname()
      .replace(/[^A-Za-z0-9.]+/g, '_')
      .slice(0, 40) || 'host'
  )
}
