import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { type Handspan, type StartOptions, start } from '../../instrumentation/index.ts'
import type { RunEvent } from '../../model/run-log.ts'

/** A directory of its own for one test. */
export function temporaryDirectory(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'handspan-test-'))
}

/** All complete lines of a spool, by file name and line. A line that is no JSON fails the test. */
export function readCaptures(directory: string): RunEvent[] {
  const spool = path.join(directory, 'spool')
  if (!fs.existsSync(spool)) return []
  const files = fs.readdirSync(spool).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return files.flatMap((file) => {
    const text = fs.readFileSync(path.join(spool, file), 'utf8')
    if (text !== '' && !text.endsWith('\n')) throw new Error(`${file} ends in a torn line`)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RunEvent)
  })
}

/** Captures for one test into a directory of its own; shut down before the events are read. */
export async function capture(
  act: (handspan: Handspan, directory: string) => unknown,
  options: StartOptions = {},
): Promise<RunEvent[]> {
  const directory = options.directory ?? temporaryDirectory()
  const handspan = start({ ...options, directory })
  try {
    await act(handspan, directory)
  } finally {
    await handspan.shutdown()
  }
  const events = readCaptures(directory)
  fs.rmSync(directory, { recursive: true, force: true })
  return events
}

export function ofKind(events: RunEvent[], kind: string): RunEvent[] {
  return events.filter((event) => event.kind === kind)
}

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** Built entries, for processes that cannot run TypeScript. They lie where their dependencies are found. */
export async function buildEntry(
  others: Record<string, string> = {},
): Promise<{ directory: string; entry: string }> {
  const cache = path.join(repository, 'node_modules', '.cache')
  fs.mkdirSync(cache, { recursive: true })
  const directory = fs.mkdtempSync(path.join(cache, 'handspan-entry-'))
  await build({
    config: false,
    silent: true,
    clean: false,
    dts: false,
    entry: Object.fromEntries(
      Object.entries({ index: 'instrumentation/index.ts', ...others }).map(([name, file]) => [
        name,
        path.join(repository, file),
      ]),
    ),
    format: 'esm',
    target: 'node20',
    platform: 'node',
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
  })
  return { directory, entry: path.join(directory, 'index.mjs') }
}
