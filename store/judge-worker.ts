import { serialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { judgeBatch, type Task } from './judge-batch.ts'

// Judges in a thread of its own, one task after the other. What it throws ends it, and its parent says so.
parentPort!.on('message', (task: Task) => {
  const answer = new Map([...judgeBatch(task)].map(([name, table]) => [name, serialize(table)]))
  parentPort!.postMessage(
    answer,
    [...answer.values()].map(({ buffer }) => buffer as ArrayBuffer),
  )
})
