import { Worker } from 'node:worker_threads'

// The process of the user's filter: runs it, one handoff after the other. Only JSON crosses: what cannot be written as
// JSON is an answer too.

type Answer = { output: string; mutated: boolean } | { failure: string }

const [url, parent] = process.argv.slice(2) as [string, string]

// Before the filter is loaded: it may loop for ever from its first line on.
new Worker(new URL('./parent-watch.js', import.meta.url), { workerData: Number(parent) }).unref()

process.once('uncaughtException', (error) => {
  process.send!({ failure: `the filter ended its process: ${wordsOf(error)}` } satisfies Answer, () =>
    process.exit(1),
  )
})

const loading = import(url)
// Whoever asks first hears of it.
loading.catch(() => {})

process.on('message', async (text: string) => {
  process.send!(await answer(text))
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
    return { failure: `the filter threw ${wordsOf(error)}` }
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
