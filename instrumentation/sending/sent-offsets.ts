import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject } from '../../model/json.ts'

/*
 * How far each segment has been acknowledged, one small file a destination in `<dir>/sent`. Written aside and renamed;
 * a write that gets lost, or one of another sender that knows less, only makes lines be sent again.
 */

type Offsets = Map<string, number>

let writes = 0

export class SentOffsets {
  readonly #folder: string
  readonly #file: string
  readonly #url: string
  #offsets: Offsets = new Map()

  constructor(directory: string, url: URL) {
    this.#folder = path.join(directory, 'sent')
    // Without what a user may have put into it: a name, a password, a key in the query.
    this.#url = `${url.origin}${url.pathname}`
    this.#file = path.join(this.#folder, nameOf(this.#url))
  }

  /** Bytes of the segment that need not be sent again. */
  of(segment: string): number {
    return this.#offsets.get(segment) ?? 0
  }

  /** Takes over what other senders to the same destination have reached. */
  async refresh(): Promise<void> {
    for (const [segment, offset] of await readOffsets(this.#file)) this.#raise(segment, offset)
  }

  /** Notes that the segment is acknowledged up to here. Throws what the file system throws; in memory it holds anyway. */
  async advance(segment: string, offset: number): Promise<void> {
    this.#raise(segment, offset)
    await this.#write()
  }

  /** Forgets segments that are gone. */
  async keepOnly(segments: ReadonlySet<string>): Promise<void> {
    const gone = [...this.#offsets.keys()].filter((segment) => !segments.has(segment))
    if (gone.length === 0) return
    for (const segment of gone) this.#offsets.delete(segment)
    await this.#write()
  }

  /** True if every destination that was ever sent to has acknowledged the segment up to here. */
  async reachedEverywhere(segment: string, offset: number): Promise<boolean> {
    const files = (await readdir(this.#folder)).filter((name) => name.endsWith('.json'))
    const all = await Promise.all(files.map((name) => readOffsets(path.join(this.#folder, name))))
    return all.length > 0 && all.every((offsets) => (offsets.get(segment) ?? 0) >= offset)
  }

  #raise(segment: string, offset: number): void {
    if (offset > this.of(segment)) this.#offsets.set(segment, offset)
  }

  async #write(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const aside = `${this.#file}.${process.pid}.${++writes}`
    const document = { destination: this.#url, segments: Object.fromEntries(this.#offsets) }
    try {
      await writeFile(aside, `${JSON.stringify(document)}\n`, { mode: 0o600 })
      await rename(aside, this.#file)
    } catch (error) {
      await rm(aside, { force: true }).catch(() => {})
      throw error
    }
  }
}

/** A host can be read in it, the rest tells destinations apart. */
function nameOf(url: string): string {
  const host = new URL(url).host.replace(/[^A-Za-z0-9.-]+/g, '_')
  return `${host}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}.json`
}

async function readOffsets(file: string): Promise<Offsets> {
  const offsets: Offsets = new Map()
  try {
    const document: unknown = JSON.parse(await readFile(file, 'utf8'))
    const segments = isObject(document) && isObject(document.segments) ? document.segments : {}
    for (const [name, offset] of Object.entries(segments)) {
      if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) offsets.set(name, offset)
    }
  } catch {
    // Not there yet, or cut off by a dying machine: everything is sent again.
  }
  return offsets
}
