import { access } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { FilterInput } from '../replay/what-if/filter.ts'
import { UsageError } from './output.ts'

/** How long a filter may take for one handoff. */
const MILLISECONDS = 10_000
const MEGABYTES = 512

/** What a filter returned (anything that JSON can hold), or why there is nothing. */
export type Filtered = { output: unknown; mutated: boolean } | { failure: string }

/** A filter of the user in a thread of its own: it can neither hold up nor change what judges it. */
export class FilterProcess {
  readonly #url: string
  #worker: Worker | undefined

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

  /** Runs the filter on a copy of the input. Never throws; a thread that hangs or dies is replaced. */
  async run(input: FilterInput): Promise<Filtered> {
    const worker = this.#worker ?? this.#start()
    this.#worker = worker
    const answer = await answerOf(worker, JSON.stringify(input))
    if ('failure' in answer) await this.close()
    return answer
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  #start(): Worker {
    const worker = new Worker(new URL('./what-if-worker.js', import.meta.url), {
      workerData: this.#url,
      stdout: true,
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    })
    // What a filter prints must not stand between the data.
    worker.stdout.pipe(process.stderr, { end: false })
    // It may also fail after its answer, in something that it left running.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    return worker
  }
}

type Answer = { output: string; mutated: boolean } | { failure: string }

function answerOf(worker: Worker, input: string): Promise<Filtered> {
  return new Promise((done) => {
    const finish = (answer: Answer) => {
      clearTimeout(timer)
      worker.off('message', finish).off('error', onError).off('exit', onExit)
      done('failure' in answer ? answer : { ...answer, output: JSON.parse(answer.output) })
    }
    const onError = (error: Error) => finish({ failure: `the filter ended its thread: ${error.message}` })
    const onExit = () => finish({ failure: 'the filter ended its thread' })
    const timer = setTimeout(
      () => finish({ failure: `the filter did not answer within ${MILLISECONDS / 1000} s` }),
      MILLISECONDS,
    )
    worker.on('message', finish).on('error', onError).on('exit', onExit)
    worker.postMessage(input)
  })
}
