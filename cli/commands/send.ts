import type { Command } from 'commander'
import type { SpoolSender } from '../../instrumentation/sending/spool-sender.ts'
import { bytes, plural } from '../../model/counts.ts'
import { EXIT, note, printJson, UsageError } from '../output.ts'
import { type SharedOptions, withExamples, withShared } from '../shared-options.ts'

type SendOptions = SharedOptions & { to?: string; tokenFile?: string; content?: string; once?: boolean }

export function sendCommand(program: Command): void {
  const command = program
    .command('send')
    .summary('send captures to a server')
    .description(
      'Sends what agents write into the spool to `handspan serve` or an OpenTelemetry Collector, until it is stopped.\n' +
        'Nothing is lost: the server is tried again for as long as it takes, and what it refuses goes to dead-letters.\n' +
        'Only metadata leaves the machine: sizes, hashes, ids, keys, names. --content full sends the captures as they are.',
    )
    .option('--to <url>', 'the server (default: OTEL_EXPORTER_OTLP_ENDPOINT, else http://127.0.0.1:4318)')
    .option('--token-file <file>', 'file with the token of the server (default: HANDSPAN_TOKEN)')
    .option('--content <what>', 'shape or full (default: HANDSPAN_SEND_CONTENT, else shape)')
    .option('--once', 'end when everything there is acknowledged; exit code 2 if something could not be')
    .action(send)
  withExamples(withShared(command), [
    ['handspan send --to https://traces.example:4318 --token-file token', 'beside an agent'],
    ['handspan send --once --content full', 'everything, to the server of this machine'],
  ])
}

const BATCH_BYTES = 1024 * 1024
const GRACE_MS = 5_000
const PROGRESS_MS = 5_000
/** Tries in a row after which `--once` leaves the rest for another time. */
const TRIES = 5

async function send(options: SendOptions): Promise<void> {
  const sender = await openSender(options)
  const stop = stopOnSignal(sender)
  let said = ''
  const progress = setInterval(() => {
    const text = progressLine(sender)
    if (text !== said) note(text)
    said = text
  }, PROGRESS_MS)
  let reason: string | undefined
  await sender.run((round) => {
    if (!options.once) return false
    if (typeof round === 'object') reason = round.reason
    return round === 'idle' || (round !== 'moved' && (round.fault || sender.failures >= TRIES - 1))
  })
  clearInterval(progress)
  const { pending, dead } = sender.counters
  note(progressLine(sender))
  if (dead > 0) note(`What the server will not have is in ${options.dir}/dead-letters, with the reasons.`)
  if (options.json) printJson('send', { counters: sender.counters })
  const left = options.once === true && (dead > 0 || (pending > 0 && reason !== undefined))
  process.exitCode = stop.exitCode ?? (left ? EXIT.failed : EXIT.fine)
}

async function openSender(options: SendOptions): Promise<SpoolSender> {
  const [{ SpoolSender }, { exposure, readTarget }, { sentContent }, { resolve }] = await Promise.all([
    import('../../instrumentation/sending/spool-sender.ts'),
    import('../../instrumentation/sending/target.ts'),
    import('../../instrumentation/sending/send-captures.ts'),
    import('node:path'),
  ])
  const wrongContent = (message: string) => {
    throw new UsageError(message, 'Use --content shape or --content full.')
  }
  const content = sentContent(options.content ?? process.env.HANDSPAN_SEND_CONTENT, wrongContent)
  const token = options.tokenFile === undefined ? undefined : await readToken(options.tokenFile)
  const target = readTarget({ url: options.to, token }, process.env)
  const exposed = exposure(target)
  if (exposed !== undefined) note(`handspan: ${exposed}`)
  const { escapeText } = await import('../../model/escape.ts')
  const { hostname } = await import('node:os')
  const { statSync } = await import('node:fs')
  // A directory that is missing is waited for: the agent makes it.
  if (statSync(options.dir, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new UsageError(`${options.dir} is not a directory.`, 'Name the directory of the captures.')
  }
  note(
    `sending ${content === 'full' ? 'captures in full' : 'metadata'} from ${options.dir} to ${target.url.origin}`,
  )
  return new SpoolSender({
    directory: resolve(options.dir),
    target,
    content,
    hashKey: process.env.HANDSPAN_HASH_KEY?.trim() || undefined,
    batchBytes: BATCH_BYTES,
    resource: {
      'service.name': process.env.OTEL_SERVICE_NAME?.trim() || 'handspan-send',
      'host.name': hostname(),
    },
    background: false,
    // What a server says is as hostile as anything else that comes from outside.
    report: (_level, message) => note(escapeText(message)),
  })
}

async function readToken(file: string): Promise<string> {
  const { readTokenFile } = await import('../token-file.ts')
  const token = readTokenFile(file)
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(`${file} holds no token`, 'The file holds the token alone, on one line.')
  }
  return token
}

/** A signal ends the sending after the request that is under way; a second one ends the process. */
function stopOnSignal(sender: SpoolSender): { exitCode?: number } {
  const stop: { exitCode?: number } = {}
  process.removeAllListeners('SIGINT')
  for (const [signal, code] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', EXIT.fine],
  ] as const) {
    process.once(signal, () => {
      stop.exitCode = code
      sender.stop(GRACE_MS)
    })
  }
  return stop
}

function progressLine(sender: SpoolSender): string {
  const { sent, dead, retries, pending, bytes: size } = sender.counters
  return (
    `sent ${plural(sent, 'event')} (${bytes(size)}), ${bytes(pending)} to go` +
    `${dead === 0 ? '' : `, ${dead.toLocaleString('en-US')} in dead-letters`}${retries === 0 ? '' : `, ${plural(retries, 'retry', 'retries')}`}`
  )
}
