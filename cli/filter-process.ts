import { type ChildProcess, fork } from 'node:child_process'
import { access } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isObject } from '../model/json.ts'
import type { FilterInput } from '../replay/what-if/filter.ts'
import { UsageError } from './output.ts'

/** How long a filter may take for one handoff. */
const MILLISECONDS = 10_000
const MEGABYTES = 512

/** What a filter returned (anything that JSON can hold), or why there is nothing. */
export type Filtered = { output: unknown; mutated: boolean } | { failure: string }

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

  /** Throws UsageError if there is no such file, or this Node cannot load it. */
  static async open(file: string): Promise<FilterProcess> {
    const path = resolve(file)
    await access(path).catch(() => {
      throw new UsageError(`${file} cannot be read`, 'Name a module whose default export is a filter.')
    })
    const stripsTypes = (process.features as { typescript?: unknown }).typescript
    if (/^\.[mc]?ts$/.test(extname(path)) && !stripsTypes) {
      throw new UsageError(
        `${file}: Node ${process.version} cannot load TypeScript`,
        'Use Node 22.18 or later, or write it as .mjs.',
      )
    }
    return new FilterProcess(pathToFileURL(path).href)
  }

  /** Runs the filter on a copy of the input. Never throws; a process that hangs or ends is replaced. */
  async run(input: FilterInput): Promise<Filtered> {
    const child = this.#child ?? this.#start()
    this.#child = child
    const answer = await answerOf(child, JSON.stringify(input))
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

  #start(): ChildProcess {
    const module = fileURLToPath(new URL('./filter-child.js', import.meta.url))
    const child = fork(module, [this.#url, String(process.pid)], {
      // What a filter prints must not stand between the data.
      stdio: ['ignore', process.stderr.fd, process.stderr.fd, 'ipc'],
      execArgv: [...process.execArgv, `--max-old-space-size=${MEGABYTES}`],
    })
    // It may also fail after its answer, in something that it left running.
    child.on('error', () => {})
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    return child
  }
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function answerOf(child: ChildProcess, input: string): Promise<Filtered> {
  return new Promise((done) => {
    const finish = (answer: Filtered) => {
      clearTimeout(timer)
      child.off('message', onMessage).off('error', onError).off('close', onClose)
      done(answer)
    }
    const onMessage = (message: unknown) => {
      const answer = readAnswer(message)
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
    child.send(input, () => {})
  })
}

/** An answer of the child, or undefined: the filter has the same channel, and some libraries write to any they find. */
function readAnswer(message: unknown): Filtered | undefined {
  if (!isObject(message)) return undefined
  const { failure, output, mutated } = message
  if (typeof failure === 'string') return { failure }
  if (typeof output !== 'string' || typeof mutated !== 'boolean') return undefined
  try {
    return { output: JSON.parse(output), mutated }
  } catch {
    return undefined
  }
}
