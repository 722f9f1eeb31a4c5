import { statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { z } from 'zod'
import type { Settings } from '../../replay/settings.ts'
import type { Suppression } from '../../replay/suppress.ts'
import { cannotRead } from '../cannot-read.ts'
import { UsageError } from '../output.ts'
import { configSchema } from './schema.ts'

/** What the project says about itself. `file` is undefined if there is no configuration. */
export type Config = { file?: string | undefined; settings: Settings; suppressions: Suppression[] }

const NAMES = ['ts', 'mts', 'mjs', 'js', 'json'].map((extension) => `handspan.config.${extension}`)

/** Reads the named file, or the first handspan.config.* from a directory upwards. Throws UsageError. */
export async function loadConfig(named?: string, from: string = process.cwd()): Promise<Config> {
  const file = named === undefined ? await findConfig(from) : resolve(from, named)
  if (file === undefined) return { settings: {}, suppressions: [] }
  const parsed = configSchema.safeParse(await readConfig(file))
  if (!parsed.success) {
    throw new UsageError(
      parsed.error.issues.map((issue) => `${file}: ${describeIssue(issue)}`).join('\n'),
      'docs/configuration.md describes every field.',
    )
  }
  const { suppressions = [], ...settings } = parsed.data
  return { file, settings, suppressions }
}

async function findConfig(from: string): Promise<string | undefined> {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const entries = await readdir(directory).catch((): string[] => [])
    const found = NAMES.filter((name) => entries.includes(name))
    if (found.length > 1) {
      throw new UsageError(
        `${directory} holds ${found.join(' and ')}`,
        'Keep one, or name one with --config.',
      )
    }
    if (found[0] !== undefined) return join(directory, found[0])
    if (dirname(directory) === directory) return undefined
  }
}

async function readConfig(file: string): Promise<unknown> {
  if (extname(file) === '.json') {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw cannotRead(file, error)
    })
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new UsageError(
        `${file}: not valid JSON: ${(error as Error).message}`,
        'Correct it, or use a .mjs file.',
      )
    }
  }
  const loaded = await importModule(file)
  if (loaded.default === undefined) {
    throw new UsageError(`${file} has no default export`, 'Write: export default { … }')
  }
  return loaded.default
}

/** Loads a module of the user. Throws UsageError if it is missing, throws, or cannot be loaded by this Node. */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    return unreadable(file, error as NodeJS.ErrnoException)
  }
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    throw new UsageError(
      `${file}: Node ${process.version} cannot load TypeScript`,
      'Use Node 22.18 or later, or write it as .mjs.',
    )
  }
  // Node would name the module of this program that wanted it.
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory())
    throw cannotRead(file, { code: found === undefined ? 'ENOENT' : 'EISDIR' })
  throw new UsageError(`${file} cannot be loaded: ${error.message}`, 'Correct it, or name another file.')
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const field = path.map(String).join('.')
  return field === '' ? message : `${field}: ${message}`
}
