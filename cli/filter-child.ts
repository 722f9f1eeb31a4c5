import { Worker } from 'node:worker_threads'

// The process of the user's filter: runs it, one handoff after the other. Only JSON crosses: what cannot be written as
// JSON is an answer too.

type Filter = (input: unknown) => unknown
type Answer = { loaded: true } | { output: string; mutated: boolean } | { failure: string }

const [url, parent] = process.argv.slice(2) as [string, string]

// Before the filter is loaded: it may loop for ever from its first line on.
new Worker(new URL('./parent-watch.js', import.meta.url), { workerData: Number(parent) }).unref()

process.once('uncaughtException', (error) => {
  process.send!({ failure: `the filter ended its process: ${wordsOf(error)}` } satisfies Answer, () =>
    process.exit(1),
  )
})

const filter = await load()
if (filter !== undefined) {
  process.on('message', async (text: string) => {
    say(await answer(filter, text))
  })
  say({ loaded: true })
}

async function load(): Promise<Filter | undefined> {
  try {
    const { default: found } = await import(url)
    if (typeof found === 'function') return found
    say({ failure: 'the module has no default export that is a function' })
  } catch (error) {
    say({ failure: wordsOf(error) })
  }
  return undefined
}

async function answer(filter: Filter, text: string): Promise<Answer> {
  try {
    const input = JSON.parse(text)
    const output = JSON.stringify(await filter(input)) as string | undefined
    return { output: output ?? 'null', mutated: JSON.stringify(input) !== text }
  } catch (error) {
    return { failure: `the filter threw ${wordsOf(error)}` }
  }
}

function say(answer: Answer): void {
  process.send!(answer)
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
