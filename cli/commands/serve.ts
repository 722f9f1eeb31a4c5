import type { Command } from 'commander'
import type { Serving } from '../../collector/serve.ts'
import { wholeNumber } from '../numbers.ts'
import { EXIT, note } from '../output.ts'
import { DEFAULT_DIRECTORY, withExamples } from '../shared-options.ts'
import { readTokenFile } from '../token-file.ts'

type ServeOptions = { dir: string; host: string; port: string; tokenFile?: string; maxRequest: string }

export function serveCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('receive OpenTelemetry (OTLP/HTTP) from other processes and hosts')
    .description(
      'Receives spans and run-log events as OTLP/HTTP, protobuf or JSON, at /v1/traces and /v1/logs. A request is on ' +
        'disk before it is answered. Any other address than one of this machine needs a token, from HANDSPAN_TOKEN or ' +
        'a file. /health and /counters say how it goes.',
    )
    .option('--dir <directory>', 'directory of the captures', DEFAULT_DIRECTORY)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--port <number>', 'port to listen at; 0 for any', '4318')
    .option('--token-file <file>', 'file that holds the token senders must name (else HANDSPAN_TOKEN)')
    .option('--max-request <MiB>', 'largest request, also after decompression', '64')
    .action(serveUntilStopped)
  withExamples(command, [
    ['handspan serve', 'at 127.0.0.1:4318, into ./.handspan'],
    ['handspan serve --host 0.0.0.0 --token-file token.txt', 'for other hosts, which must name the token'],
  ])
}

const MIB = 1024 * 1024
const forever = new Promise<never>(() => {})

async function serveUntilStopped(options: ServeOptions): Promise<void> {
  const { serve } = await import('../../collector/serve.ts')
  const { progressOf } = await import('../serve-progress.ts')
  const { loadConfig } = await import('../config/load.ts')
  const { settings } = await loadConfig()
  const port = wholeNumber('--port', options.port, 0, 65_535)
  const maxRequest = wholeNumber('--max-request', options.maxRequest, 1) * MIB
  const token =
    options.tokenFile === undefined
      ? process.env.HANDSPAN_TOKEN || undefined
      : readTokenFile(options.tokenFile)
  const { makeCaptures } = await import('../captures.ts')
  makeCaptures(options.dir)
  const progress = progressOf(process.stderr)
  const serving = await serve({
    directory: options.dir,
    host: options.host,
    port,
    token,
    limits: { requestBytes: maxRequest, bytesInWork: 8 * maxRequest },
    judged: { settings },
    complain: (message) => progress.say(`handspan: ${message}`),
  })
  note(`listening at ${serving.url}, writing to ${options.dir}`)
  const ticking = progress.show(() => serving.report())
  try {
    // A database that can never be used ends the server; any other is waited for.
    process.exitCode = await Promise.race([untilSignal(serving), serving.ready.then(() => forever)])
  } catch (error) {
    await serving.stop()
    throw error
  } finally {
    clearInterval(ticking)
  }
  progress.end(serving.report())
}

/** Stops at the first signal, at once at the second. Gives the exit code. */
async function untilSignal(serving: Serving): Promise<number> {
  // The command's own answer to an interrupt would not wait for what is being written.
  process.removeAllListeners('SIGINT')
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name))
  })
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(EXIT.interrupted))
  await serving.stop()
  return signal === 'SIGINT' ? EXIT.interrupted : EXIT.fine
}
