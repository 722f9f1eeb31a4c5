import crypto from 'node:crypto'

// Half the cost on short texts; not there before Node 20.12.
const oneShot: typeof crypto.hash | undefined = crypto.hash

/** The first 8 bytes of the sha256 of a text. */
export function hash64(text: string): bigint {
  return (
    oneShot?.('sha256', text, 'buffer') ?? crypto.createHash('sha256').update(text).digest()
  ).readBigUInt64BE(0)
}
