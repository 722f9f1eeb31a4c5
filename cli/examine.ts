import { existsSync } from 'node:fs'
import { plural } from '../model/counts.ts'
import { findTokenCounter } from '../model/tokens.ts'
import { type Store, StoreError } from '../store/index.ts'
import { readLosses } from './losses.ts'
import { UsageError } from './output.ts'
import { withStore } from './with-store.ts'

/** One thing that was looked at. `remedy` says what to do if it is not good. */
export type Examined = { name: string; good: boolean; detail: string; remedy?: string }

/** A command on the same captures, as it is to be pasted. */
type Command = (...words: string[]) => string

/** Looks at everything that captures and analysis need. Never throws: what fails is a result. */
export async function examine(directory: string, command: Command): Promise<Examined[]> {
  return [nodeVersion(), ...environment(), await tokenizer(), ...(await store(directory, command))]
}

function nodeVersion(): Examined {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
  return {
    name: 'Node',
    good: major > 20 || (major === 20 && minor >= 6),
    detail: process.version,
    remedy: 'Use Node 20.6 or later.',
  }
}

function environment(): Examined[] {
  const content = process.env.HANDSPAN_CONTENT
  const out: Examined[] = [
    {
      name: 'capture',
      good: process.env.OTEL_SDK_DISABLED !== 'true',
      detail:
        process.env.OTEL_SDK_DISABLED === 'true' ? 'OTEL_SDK_DISABLED is true: nothing is captured' : 'on',
      remedy: 'Unset OTEL_SDK_DISABLED where agents should be recorded.',
    },
    {
      name: 'content',
      good: content === undefined || content === '' || content === 'full' || content === 'shape',
      detail: content === undefined || content === '' ? 'full (the default)' : content,
      remedy: 'HANDSPAN_CONTENT is full (with redaction) or shape (sizes, hashes, ids and keys, no text).',
    },
  ]
  return out
}

async function tokenizer(): Promise<Examined> {
  const { method } = findTokenCounter()
  const detail =
    method === 'bytes/4'
      ? 'estimated as bytes/4; install gpt-tokenizer to count them'
      : `counted with ${method}`
  return { name: 'tokens', good: true, detail }
}

async function store(directory: string, command: Command): Promise<Examined[]> {
  if (!existsSync(directory)) {
    return [
      {
        name: 'captures',
        good: true,
        detail: `${directory} does not exist yet; the first recorded run makes it`,
      },
    ]
  }
  try {
    return await withStore(directory, (opened) => examineStore(opened, command))
  } catch (error) {
    const known = error instanceof StoreError || error instanceof UsageError
    const remedy = known ? error.remedy : 'Run it again with DEBUG=1 and report what it prints.'
    return [{ name: 'store', good: false, detail: (error as Error).message, remedy }]
  }
}

async function examineStore(opened: Store, command: Command): Promise<Examined[]> {
  const info = await opened.info()
  const lost = await readLosses(opened)
  return [
    {
      name: 'store',
      good: true,
      detail: `${info.database}, schema version ${info.schemaVersion}, DuckDB ${info.duckdbVersion}`,
    },
    {
      name: 'captures',
      good: true,
      detail: [
        plural(info.runs, 'run'),
        plural(info.events, 'event'),
        plural(info.segments, 'spool segment'),
      ].join(', '),
    },
    {
      name: 'quarantine',
      good: info.quarantined === 0,
      detail: info.quarantined === 0 ? 'empty' : `${plural(info.quarantined, 'line')} could not be read`,
      remedy: command('sql', 'SELECT source, line_number, reason FROM quarantine'),
    },
    {
      name: 'losses',
      good: lost === 0,
      detail: lost === 0 ? 'none reported' : `${plural(lost, 'event')} could not be written by agents`,
      remedy: `Look at the disk and the directory of the captures: ${command('sql', "FROM events WHERE kind = 'spool.loss'")}`,
    },
  ]
}
