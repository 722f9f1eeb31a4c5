import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Limits } from './limits.ts'

export type Handle = (
  request: Parameters<RequestListener>[0],
  response: Parameters<RequestListener>[1],
  proceed: () => void,
) => Promise<void>

/** An HTTP server with bounds on everything that a stranger decides. */
export function boundedServer(limits: Limits, handle: Handle): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTime,
      requestTimeout: limits.requestTime,
      keepAliveTimeout: limits.idleTime,
      // How often the two times above are looked at.
      connectionsCheckingInterval: Math.min(1000, limits.headersTime),
    },
    (request, response) => void handle(request, response, () => {}),
  )
  server.maxConnections = limits.connections
  server.maxHeadersCount = limits.headers
  // A sender that asks first is told 100 only once everything but the body was found right.
  server.on('checkContinue', (request, response) => {
    void handle(request, response, () => response.writeContinue())
  })
  return server
}

/** Listens; the port may be 0 for any. Throws what listening throws (EADDRINUSE, EACCES …). */
export function listenAt(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** Takes no more connections, lets requests that are on their way end for so long, then cuts what is left. */
export function endServer(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), patience)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
