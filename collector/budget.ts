import { putOff } from './refusal.ts'

/** Bytes in work, of all requests together. */
export class Budget {
  readonly most: number
  used = 0

  constructor(most: number) {
    this.most = most
  }

  /** What one request has taken, to be given back at once when it is answered. */
  share(): Share {
    let taken = 0
    return {
      take: (bytes) => {
        if (this.used + bytes > this.most) throw putOff('too much in work: send again')
        this.used += bytes
        taken += bytes
      },
      giveBack: () => {
        this.used -= taken
        taken = 0
      },
    }
  }
}

export type Share = {
  /** Throws a Refusal if there is no room. */
  take(bytes: number): void
  giveBack(): void
}
