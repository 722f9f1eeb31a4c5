/** A request that cannot be read, with where and why. Nothing of it may be taken. */
export class DecodeError extends Error {
  /** `malformed`: not what the encoding says. `too-large`: well-formed perhaps, but more than one request may hold. */
  readonly kind: 'malformed' | 'too-large'

  constructor(message: string, kind: 'malformed' | 'too-large' = 'malformed', cause?: unknown) {
    super(message, { cause })
    this.name = 'DecodeError'
    this.kind = kind
  }
}
