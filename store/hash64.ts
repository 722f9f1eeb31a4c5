import crypto from 'node:crypto'

// Half the cost on short texts; not there before Node 20.12.
const oneShot: typeof crypto.hash | undefined = crypto.hash

/** The first 8 bytes of the sha256 of a text, which may stand in bytes as UTF-8. */
export function hash64(text: string | Buffer): bigint {
  // Answered as text: a Buffer of its own for each of them would cost as much as the hash.
  const hex = oneShot?.('sha256', text, 'hex') ?? crypto.createHash('sha256').update(text).digest('hex')
  return BigInt(`0x${hex.slice(0, 16)}`)
}

/** The first 8 bytes of a hash that is written as `sha256:` and hexadecimal digits. */
export function firstBytes(hash: string): bigint | undefined {
  const digits = /:([0-9a-f]{16})/.exec(hash)?.[1]
  return digits === undefined ? undefined : BigInt(`0x${digits}`)
}
