import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { failedBatch, type Judged, judgeBatch, type Task } from './judge-batch.ts'

/** Threads that judge. More would wait for the one that reads and writes. */
const MOST_THREADS = 2

// Run from its TypeScript sources, or bundled into something else, the package has no such file: then it judges in place.
const FILE = new URL('./judge-worker.js', import.meta.url)

/** Those who judge runs: threads, so that whoever waits for the database meanwhile is answered, or nobody but the caller. */
export class Judges {
  readonly #threads = new Set<Thread>()
  readonly size: number

  /** `inPlace`: the work is too little to be worth the start of a thread. */
  constructor({ inPlace }: { inPlace: boolean }) {
    const isThere = !inPlace && existsSync(fileURLToPath(FILE))
    this.size = isThere ? Math.min(MOST_THREADS, availableParallelism()) : 0
  }

  /** Never throws: a thread that dies is the failure of the runs that it had, and the next task gets a new one. */
  async judge(task: Task): Promise<Judged> {
    if (this.size === 0) return judgeBatch(task)
    const answer = await this.#thread().judge(task)
    return answer instanceof Error ? failedBatch(task, answer) : answer
  }

  /** Ends the threads, whatever they are at. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  /** The one with the least to do. */
  #thread(): Thread {
    const [least] = [...this.#threads].sort((a, b) => a.waiting - b.waiting)
    if (least !== undefined && (least.waiting === 0 || this.#threads.size === this.size)) return least
    const thread = new Thread(() => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
  }
}

/** A thread that answers in the order in which it is asked. Its memory is limited as that of the process is. */
class Thread {
  readonly #worker = new Worker(FILE)
  readonly #asked: ((answer: Judged | Error) => void)[] = []

  constructor(onEnd: () => void) {
    const fail = (error: Error) => {
      onEnd()
      for (const answer of this.#asked.splice(0)) answer(error)
    }
    this.#worker.on('message', (judged: Judged) => this.#asked.shift()?.(judged))
    this.#worker.on('error', fail)
    this.#worker.on('exit', () => fail(new Error('the thread that judged it ended')))
  }

  get waiting(): number {
    return this.#asked.length
  }

  judge(task: Task): Promise<Judged | Error> {
    return new Promise((answer) => {
      this.#asked.push(answer)
      this.#worker.postMessage(task)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
