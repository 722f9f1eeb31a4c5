import type { Session } from './session.ts'

const EVERY_MS = 1000

/** Takes in what agents write, again and again, while it is on. */
export class Follower {
  readonly #session: Session
  #timer: NodeJS.Timeout | undefined

  constructor(session: Session) {
    this.#session = session
  }

  get on(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    if (this.on) return
    // The next look is only planned when the one before is over: a slow one is not overtaken.
    const look = async () => {
      try {
        if (await this.#session.source.refresh()) await refreshScreens(this.#session)
        if (this.on) this.#timer = setTimeout(look, EVERY_MS)
      } catch (error) {
        this.stop()
        this.#session.fail(error)
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
export async function refreshScreens(session: Session): Promise<void> {
  for (const screen of session.screens) void screen.reload?.()
  const { analysis: old, source } = session
  if (old === undefined) return
  const now = await source.analysis(old.run.id)
  // Another run may have been opened meanwhile.
  if (now === old || session.analysis !== old) return
  session.analysis = now
  for (const screen of session.screens) screen.adopt?.(now)
  session.changed()
}
