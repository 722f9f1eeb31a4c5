import { parentPort, workerData } from 'node:worker_threads'

// Runs the user's filter, one handoff after the other. Only JSON crosses: what cannot be written as JSON is an answer too.

type Answer = { output: string; mutated: boolean } | { failure: string }

const loading = import(workerData as string)

parentPort!.on('message', async (text: string) => {
  parentPort!.postMessage(await answer(text))
})

async function answer(text: string): Promise<Answer> {
  try {
    const filter = (await loading).default
    if (typeof filter !== 'function')
      return { failure: 'the module has no default export that is a function' }
    const input = JSON.parse(text)
    const output = JSON.stringify(await filter(input)) as string | undefined
    return { output: output ?? 'null', mutated: JSON.stringify(input) !== text }
  } catch (error) {
    return {
      failure: `the filter threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
    }
  }
}
