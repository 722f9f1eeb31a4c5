// The folder of a run of the benchmarks, named after its process, so that the next run can tell whose is left over.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

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
