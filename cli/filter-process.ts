import { type ChildProcess, fork } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isObject } from '../model/json.ts'
import type { FilterInput } from '../replay/what-if/filter.ts'
import { cannotRead } from './cannot-read.ts'
import { UsageError } from './output.ts'

/** How long a filter may take to be loaded, and for one handoff. */
const MILLISECONDS = 10_000
const MEGABYTES = 512

/** What a filter returned (anything that JSON can hold), or why there is nothing. */
export type Filtered = { output: unknown; mutated: boolean } | Failed
type Failed = { failure: string }
type Loaded = { loaded: true }

/**
 * A filter of the user in a process of its own: it can neither hold up nor change what judges it, and if it opens the
 * store's database, DuckDB's lock keeps it out. A thread of this process would get past that lock (store/guard.ts).
 */
export class FilterProcess {
  readonly #url: string
  #child: ChildProcess | undefined

  private constructor(url: string) {
    this.#url = url
  }

  /** Throws UsageError if there is no such file, or no filter can be loaded from it. */
  static async open(file: string): Promise<FilterProcess> {
    const path = resolve(file)
    await access(file, constants.R_OK).catch((error) => {
      throw cannotRead(file, error)
    })
    const stripsTypes = (process.features as { typescript?: unknown }).typescript
    if (/^\.[mc]?ts$/.test(extname(path)) && !stripsTypes) {
      throw new UsageError(
        `${file}: Node ${process.version} cannot load TypeScript`,
        'Use Node 22.18 or later, or write it as .mjs.',
      )
    }
    const filter = new FilterProcess(pathToFileURL(path).href)
    const started = await filter.#start()
    if ('failure' in started) {
      throw new UsageError(
        `No filter can be loaded from ${file}: ${started.failure}`,
        'Name a module whose default export is a filter: ({items, record, context}) => items.',
      )
    }
    return filter
  }

  /** Runs the filter on a copy of the input. Never throws; a process that hangs or ends is replaced. */
  async run(input: FilterInput): Promise<Filtered> {
    const child = this.#child ?? (await this.#start())
    if ('failure' in child) return child
    const answer = await answerOf(child, readFiltered, JSON.stringify(input))
    if ('failure' in answer) await this.close()
    return answer
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || hasEnded(child)) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGKILL')
    await ended
  }

  /** Starts a process and waits until it has loaded the filter. */
  async #start(): Promise<ChildProcess | Failed> {
    const module = fileURLToPath(new URL('./filter-child.js', import.meta.url))
    const child = fork(module, [this.#url, String(process.pid)], {
      // What a filter prints must not stand between the data.
      stdio: ['ignore', process.stderr.fd, process.stderr.fd, 'ipc'],
      execArgv: [...process.execArgv, `--max-old-space-size=${MEGABYTES}`],
    })
    this.#child = child
    // It may also fail after its answer, in something that it left running.
    child.on('error', () => {})
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    const answer = await answerOf(child, readLoaded)
    if ('loaded' in answer) return child
    await this.close()
    return answer
  }
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** What a process says next, to `input` if there is one. */
function answerOf<T extends object>(
  child: ChildProcess,
  read: (message: Record<string, unknown>) => T | undefined,
  input?: string,
): Promise<T | Failed> {
  return new Promise((done) => {
    const finish = (answer: T | Failed) => {
      clearTimeout(timer)
      child.off('message', onMessage).off('error', onError).off('close', onClose)
      done(answer)
    }
    const onMessage = (message: unknown) => {
      // The filter has the same channel, and some libraries write to any that they find.
      if (!isObject(message)) return
      const answer = typeof message.failure === 'string' ? { failure: message.failure } : read(message)
      if (answer !== undefined) finish(answer)
    }
    const onError = (error: Error) => finish({ failure: `the filter has no process: ${error.message}` })
    const onClose = (code: number | null, signal: string | null) =>
      finish({ failure: `the filter ended its process (${signal ?? `exit code ${code}`})` })
    const timer = setTimeout(
      () => finish({ failure: `the filter did not answer within ${MILLISECONDS / 1000} s` }),
      MILLISECONDS,
    )
    // `close`, not `exit`: what it said before it ended has arrived by then.
    child.on('message', onMessage).on('error', onError).on('close', onClose)
    // A process that has just ended takes no input; `close` tells it.
    if (input !== undefined) child.send(input, () => {})
  })
}

function readLoaded({ loaded }: Record<string, unknown>): Loaded | undefined {
  return loaded === true ? { loaded } : undefined
}

function readFiltered({ output, mutated }: Record<string, unknown>): Filtered | undefined {
  if (typeof output !== 'string' || typeof mutated !== 'boolean') return undefined
  try {
    return { output: JSON.parse(output), mutated }
  } catch {
    return undefined
  }
}
