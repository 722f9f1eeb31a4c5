/** A wait that can be cut short. `background`: it does not keep the process alive. */
export class Pause {
  readonly #background: boolean
  #wake: (() => void) | undefined

  constructor(background: boolean) {
    this.#background = background
  }

  /** Resolves after so many milliseconds, or at `end()`. */
  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      if (this.#background) timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  end(): void {
    this.#wake?.()
  }
}
