import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { failedBatch, type Judged, judgeBatch, type Task } from './judge-batch.ts'

/** What a thread answers: derived rows, or what it ended with. */
type Answer = Judged | Error

/** Threads that judge, where there are cores for them beside the one that reads and writes; more would wait for it. */
const MOST_THREADS = 2

/** How long threads without work are kept: a young one takes several times as long to judge as one that has judged before. */
const IDLE_MILLISECONDS = 30_000

// Run from its TypeScript sources, or bundled into something else, the package has no such file: then it judges in place.
const FILE = new URL('./judge-worker.js', import.meta.url)

/**
 * Those who judge runs beside the thread that has the database. They are started when they are first needed, and end when they
 * have rested for a while.
 */
export class Judges {
  readonly #threads = new Set<Thread>()
  #idle: NodeJS.Timeout | undefined
  /** How many there may be; 0 where the program cannot have any. */
  readonly size = existsSync(fileURLToPath(FILE))
    ? Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1))
    : 0

  /** Starts a thread before there is anything to judge. */
  start(): void {
    clearTimeout(this.#idle)
    if (this.size > 0 && this.#threads.size === 0) this.#add()
  }

  /** Never throws: a thread that dies is the failure of the runs that it had, and the next task gets a new one. */
  async judge(task: Task): Promise<Judged> {
    if (this.size === 0) return judgeBatch(task)
    clearTimeout(this.#idle)
    const answer = await this.#leastBusy().judge(task)
    return answer instanceof Error ? failedBatch(task, answer) : answer
  }

  /** To be called when nothing more is to be judged for now. What is still being judged is given up. */
  async rest(): Promise<void> {
    if ([...this.#threads].some(({ waiting }) => waiting > 0)) await this.close()
    else this.#idle = setTimeout(() => void this.close(), IDLE_MILLISECONDS).unref()
  }

  /** Ends the threads, whatever they are at. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const threads = [...this.#threads]
    // Whoever asks from now on gets a new one.
    this.#threads.clear()
    await Promise.all(threads.map((thread) => thread.end()))
  }

  #leastBusy(): Thread {
    const [least] = [...this.#threads].sort((a, b) => a.waiting - b.waiting)
    if (least !== undefined && (least.waiting === 0 || this.#threads.size === this.size)) return least
    return this.#add()
  }

  #add(): Thread {
    const thread = new Thread(() => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
  }
}

/** A thread that answers in the order in which it is asked. */
class Thread {
  // What the process was started with (a loader, a profiler, an input) is not for it.
  readonly #worker = new Worker(FILE, { execArgv: [] })
  readonly #asked: ((answer: Answer) => void)[] = []

  constructor(onEnd: () => void) {
    const fail = (error: Error) => {
      onEnd()
      for (const answer of this.#asked.splice(0)) answer(error)
    }
    // Without work it keeps no program running.
    this.#worker.unref()
    this.#worker.on('message', (judged: Answer) => {
      this.#asked.shift()?.(judged)
      if (this.#asked.length === 0) this.#worker.unref()
    })
    this.#worker.on('error', fail)
    this.#worker.on('exit', () => fail(new Error('the thread that judged it ended')))
  }

  get waiting(): number {
    return this.#asked.length
  }

  judge(task: Task): Promise<Answer> {
    return new Promise((answer) => {
      this.#asked.push(answer)
      this.#worker.ref()
      this.#worker.postMessage(task)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
