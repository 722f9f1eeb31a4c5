import type { DuckDBConnection } from './duckdb.ts'

/*
 * A process that ends waits for what DuckDB is at in its other threads, and a query may take for ever: Ctrl-C would do
 * nothing. So what is open is interrupted first. What was being written is rolled back, as after a kill.
 */

const connections = new Set<DuckDBConnection>()

/** Has a connection interrupted when the process ends. Returns what takes that back, for when it is closed. */
export function interruptAtExit(connection: DuckDBConnection): () => void {
  if (connections.size === 0) process.on('exit', interruptAll)
  connections.add(connection)
  return () => {
    connections.delete(connection)
    if (connections.size === 0) process.off('exit', interruptAll)
  }
}

function interruptAll(): void {
  for (const connection of connections) connection.interrupt()
}
