// The folder of a run of the benchmarks, named after its process, so that the next run can tell whose is left over, and
// what makes the processes that a benchmark starts end with it.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const PREFIX = 'handspan-bench-'

/** Makes the folder of this process below `parent`, to be removed when the process ends, and removes those of dead ones. */
export function scratchFolder(parent) {
  mkdirSync(parent, { recursive: true })
  for (const name of readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))) remove(join(parent, name))
  }
  const folder = join(parent, `${PREFIX}${process.pid}`)
  process.once('exit', () => remove(folder))
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Has Ctrl-C and SIGTERM end this process as `process.exit` does: what is to be removed is removed. */
export function exitOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}

/** Arguments of node with which a process ends once this one, which starts it, is gone. `product` is the built package. */
export function endWithParent(product) {
  const watch = pathToFileURL(join(product, 'parent-watch.js')).href
  // Threads get these arguments too, and are to start nothing. By number: whoever is killed at once is nobody's parent.
  const code = `import { isMainThread, Worker } from 'node:worker_threads'
    if (isMainThread) new Worker(new URL('${watch}'), { workerData: ${process.pid}, execArgv: [] }).unref()`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

/** Again and again for a second: what has just been killed may have had a file in hand. */
function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
