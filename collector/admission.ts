import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from './refusal.ts'

/**
 * Who may send. A page in a browser may not: it would name its origin, or reach this machine under a name of its own (DNS
 * rebinding). Without a token only this machine is asked for by name; with one, the token is what counts. `open`: what
 * answers also who has none. Throws a Refusal.
 */
export function admit(headers: IncomingHttpHeaders, token: string | undefined, open: boolean): void {
  if (headers.origin !== undefined) throw new Refusal(403, 'requests from web pages are not taken')
  if (token === undefined) {
    if (!isThisMachine(headers.host ?? '')) {
      throw new Refusal(403, 'asked for under a foreign name: send to localhost, or serve with a token')
    }
  } else if (!open && !isSame(bearerOf(headers), token)) {
    throw new Refusal(401, 'no valid token: send Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

/** True for an address that only processes of this machine can reach. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address)
}

function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  return isLoopback(name.replace(/^\[(.*)\]$/, '$1'))
}

function bearerOf(headers: IncomingHttpHeaders): string {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

/** Compared by their hashes, which are of one length: how long it takes says nothing about the token. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(token))
}
