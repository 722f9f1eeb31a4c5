import { workerData } from 'node:worker_threads'

// A thread that ends its process once the process that started it is gone, however that one ended and whatever the main
// thread is at.

const MILLISECONDS = 250
const parent = workerData as number

setInterval(() => {
  if (isGone(parent)) process.kill(process.pid, 'SIGKILL')
}, MILLISECONDS)

/** An orphan gets another parent; where it keeps the number of the one it had, nobody answers to that number. */
function isGone(pid: number): boolean {
  if (process.ppid !== pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
