import { StoreError } from './errors.ts'

/** Lets any number of readers in, and now and then nobody, so that what they read can be exchanged. */
export class Gate {
  #inside = 0
  #reopened: Promise<void> | undefined
  #emptied: (() => void) | undefined

  /** Waits while the gate is closed. Returns the way out. */
  async enter(): Promise<() => void> {
    while (this.#reopened !== undefined) await this.#reopened
    this.#inside += 1
    return () => {
      this.#inside -= 1
      if (this.#inside === 0) this.#emptied?.()
    }
  }

  /** Closes the gate, waits for those inside, acts, and opens it again. Throws `busy` if somebody stays too long. */
  async alone<T>(patienceMs: number, act: () => Promise<T>): Promise<T> {
    let open = () => {}
    this.#reopened = new Promise((resolve) => {
      open = resolve
    })
    try {
      await this.#empty(patienceMs)
      return await act()
    } finally {
      this.#emptied = undefined
      this.#reopened = undefined
      open()
    }
  }

  async #empty(patienceMs: number): Promise<void> {
    if (this.#inside === 0) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(busy()), patienceMs)
    })
    const emptied = new Promise<void>((resolve) => {
      this.#emptied = resolve
    })
    try {
      await Promise.race([emptied, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

function busy(): StoreError {
  return new StoreError(
    'busy',
    'Somebody still reads an answer of this store, so its file was not exchanged.',
    {
      remedy:
        'Close what reads from it (a pager, a screen), then run the command again. Nothing was changed.',
    },
  )
}
