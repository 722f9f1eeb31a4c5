import type { RedactHook } from './redaction.ts'
import { DEFAULT_LIMITS, type SpoolLimits } from './spool.ts'
import { fieldOf } from './storable.ts'

/** How handspan captures in this process. Every field may be left out. */
export type StartOptions = {
  /** Name of the service, written with every run. Default: OTEL_SERVICE_NAME, else none. */
  service?: string
  /** Where captures go. Default: HANDSPAN_DIR, else `./.handspan`. Made when the first event is written. */
  directory?: string
  /**
   * `full` keeps the conversation as it is (after redaction); `shape` keeps sizes, hashes, ids, keys, types and roles, and
   * no text. Default: HANDSPAN_CONTENT, else `full`.
   */
  content?: 'full' | 'shape'
  /** Called for every text before it is written, after the default redaction. */
  redact?: RedactHook
  /** Waits for the disk after every event (fdatasync): survives a dying machine, not only a dying process. Default false. */
  fsync?: boolean
  /** With a key, hashes are HMACs: short texts cannot be guessed from them. Both sides need the same. Default: HANDSPAN_HASH_KEY. */
  hashKey?: string
  /** Bounds of the spool on disk. */
  limits?: Partial<SpoolLimits>
}

/** The options with environment and defaults filled in. */
export type Settings = {
  enabled: boolean
  service: string | undefined
  directory: string
  content: 'full' | 'shape'
  redact: RedactHook | undefined
  fsync: boolean
  hashKey: string | undefined
  limits: SpoolLimits
}

type Environment = Record<string, string | undefined>

/**
 * Options before environment before defaults. An empty variable counts as unset, only `true` is true, a bad value is
 * reported through `warn` and the default taken (OpenTelemetry's rules for environment variables).
 */
export function readSettings(
  options: StartOptions | undefined,
  environment: Environment,
  warn: (message: string) => void,
): Settings {
  const given = (name: keyof StartOptions): unknown => fieldOf(options, name)
  const fromEnvironment = (name: string): string | undefined => environment[name]?.trim() || undefined
  const text = (name: keyof StartOptions, variable: string): string | undefined =>
    textOption(given(name), name, warn) ?? fromEnvironment(variable)
  return {
    enabled: fromEnvironment('OTEL_SDK_DISABLED')?.toLowerCase() !== 'true',
    service: text('service', 'OTEL_SERVICE_NAME'),
    directory: text('directory', 'HANDSPAN_DIR') ?? './.handspan',
    content: contentOption(text('content', 'HANDSPAN_CONTENT'), warn),
    redact: hookOption(given('redact'), warn),
    fsync: given('fsync') === true,
    hashKey: text('hashKey', 'HANDSPAN_HASH_KEY'),
    limits: {
      segmentBytes: limit(given('limits'), 'segmentBytes', warn),
      segmentAge: limit(given('limits'), 'segmentAge', warn),
      totalBytes: limit(given('limits'), 'totalBytes', warn),
    },
  }
}

function textOption(value: unknown, name: string, warn: (message: string) => void): string | undefined {
  if (typeof value === 'string') return value || undefined
  if (value !== undefined) warn(`option ${name} is no text: it is passed over`)
  return undefined
}

function contentOption(value: string | undefined, warn: (message: string) => void): 'full' | 'shape' {
  if (value === undefined || value === 'full' || value === 'shape') return value ?? 'full'
  // Whoever sets this wants less than everything on disk; the safe reading of a misspelt word is the stricter one.
  warn(`content "${value.slice(0, 40)}" is neither full nor shape: shape is used`)
  return 'shape'
}

function hookOption(value: unknown, warn: (message: string) => void): RedactHook | undefined {
  if (typeof value === 'function') return value as RedactHook
  if (value === undefined) return undefined
  // Somebody wanted redaction; without it nothing is written in clear.
  warn('option redact is no function: every text is replaced')
  return () => '[redacted: the hook is no function]'
}

function limit(limits: unknown, name: keyof SpoolLimits, warn: (message: string) => void): number {
  const value = fieldOf(limits, name)
  if (value === undefined) return DEFAULT_LIMITS[name]
  if (typeof value === 'number' && value > 0) return value
  warn(`option limits.${name} is no number above 0: ${DEFAULT_LIMITS[name]} is used`)
  return DEFAULT_LIMITS[name]
}
