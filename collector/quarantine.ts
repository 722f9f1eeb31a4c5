import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ulid } from 'ulid'
import type { Signal } from '../otlp/answers.ts'
import type { Encoding } from '../otlp/decode.ts'

/** What is written beside a body that could not be read. */
export type About = { signal: Signal; encoding: Encoding; gzip: boolean; reason: string }

// Enough to see what a sender does wrong; a sender that goes on doing it must not fill the disk.
const BODIES_AT_MOST = 100
const BYTES_AT_MOST = 64 * 1024 * 1024
const BODY_BYTES = 8 * 1024 * 1024

/** Keeps the newest bodies that could not be read, each with a `.about.json`. */
export class Quarantine {
  readonly folder: string
  kept = 0
  #bodies: { name: string; bytes: number }[] | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.folder = folder
  }

  /** Never rejects: the sender has its answer, and a full disk is told elsewhere. */
  keep(body: Buffer, about: About): Promise<void> {
    this.#last = this.#last.then(() => this.#write(body, about)).catch(() => {})
    return this.#last
  }

  async #write(body: Buffer, about: About): Promise<void> {
    this.#bodies ??= await this.#list()
    const ending = `${about.encoding === 'json' ? 'json' : 'pb'}${about.gzip ? '.gz' : ''}`
    const name = `${ulid()}.${about.signal}.${ending}`
    const kept = body.subarray(0, BODY_BYTES)
    await writeFile(join(this.folder, name), kept, { mode: 0o600 })
    const text = JSON.stringify({
      at: new Date().toISOString(),
      ...about,
      bytes: body.length,
      kept: kept.length,
    })
    await writeFile(join(this.folder, `${name}.about.json`), `${text}\n`, { mode: 0o600 })
    this.kept++
    this.#bodies.push({ name, bytes: kept.length })
    await this.#removeOldest(this.#bodies)
  }

  async #removeOldest(bodies: { name: string; bytes: number }[]): Promise<void> {
    let total = bodies.reduce((sum, { bytes }) => sum + bytes, 0)
    while (bodies.length > BODIES_AT_MOST || total > BYTES_AT_MOST) {
      const oldest = bodies.shift()!
      total -= oldest.bytes
      await rm(join(this.folder, oldest.name), { force: true })
      await rm(join(this.folder, `${oldest.name}.about.json`), { force: true })
    }
  }

  /** What an earlier server kept, oldest first: names begin with the time. */
  async #list(): Promise<{ name: string; bytes: number }[]> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const names = (await readdir(this.folder)).filter((name) => /\.(json|pb)(\.gz)?$/.test(name)).sort()
    const bodies = names.filter((name) => !name.endsWith('.about.json'))
    return Promise.all(
      bodies.map(async (name) => ({ name, bytes: (await stat(join(this.folder, name))).size })),
    )
  }
}
