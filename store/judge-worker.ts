import { parentPort } from 'node:worker_threads'
import { judgeBatch, type Task } from './judge-batch.ts'
import { memoryOf } from './packed-table.ts'

// Judges in a thread of its own, one task after the other. What it throws ends it, and its parent says so.
parentPort!.on('message', (task: Task) => {
  const judged = judgeBatch(task)
  parentPort!.postMessage(judged, [...judged.values()].flatMap(memoryOf))
})
