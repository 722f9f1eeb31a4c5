import type { Judged } from '../report/accepted.ts'
import type { Screen } from './screen.ts'
import type { Source } from './source.ts'

const EVERY_MS = 1000

/** What follows: screens that show what a source holds, and the run that is open. */
export type Follows = {
  readonly source: Source
  readonly screens: readonly Screen[]
  analysis: Judged | undefined
  changed(): void
  fail(error: unknown): void
}

/** Takes in what agents write, again and again, while it is on. */
export class Follower {
  readonly #follows: Follows
  #timer: NodeJS.Timeout | undefined

  constructor(follows: Follows) {
    this.#follows = follows
  }

  get on(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    if (this.on) return
    // The next look is only planned when the one before is over: a slow one is not overtaken.
    const look = async () => {
      try {
        if (await this.#follows.source.refresh()) await refreshScreens(this.#follows)
        if (this.on) this.#timer = setTimeout(look, EVERY_MS)
      } catch (error) {
        this.stop()
        this.#follows.fail(error)
      }
    }
    this.#timer = setTimeout(look, 0)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** The source holds something new: lists are read anew, and the open run with all screens that show it. */
export async function refreshScreens(follows: Follows): Promise<void> {
  for (const screen of follows.screens) void screen.reload?.()
  const { analysis: old, source } = follows
  if (old === undefined) return
  const now = await source.analysis(old.run.id)
  // Another run may have been opened meanwhile.
  if (now === old || follows.analysis !== old) return
  follows.analysis = now
  for (const screen of follows.screens) screen.adopt?.(now)
  follows.changed()
}
