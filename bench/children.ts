import { fork, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './figures.ts'

/** What a probe found, and the most memory its process held, in bytes. */
export type Probed<T> = { value: T; peak: number }

/** Measures in a process of its own, so that nothing that was measured before is still in memory or in the caches. */
export function probe<T>(name: string, input: unknown): Promise<Probed<T>> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'probe.js'), [name, JSON.stringify(input)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    let found: Probed<T> | undefined
    child.once('message', (message) => {
      found = message as Probed<T>
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (found !== undefined && code === 0) resolve(found)
      else reject(new Error(`the probe ${name} ended with ${code}`))
    })
  })
}

/** Wall time in milliseconds and peak memory in bytes of a whole Node process: medians, and the fastest time. */
export type Whole = { ms: number; fastest: number; peak: number }

// Written to a pipe of its own: stdout belongs to the program.
const REPORT = `data:text/javascript,${encodeURIComponent(
  "import fs from 'node:fs';process.on('exit',()=>fs.writeSync(3,String(process.resourceUsage().maxRSS*1024)))",
)}`

/** Runs each command in turn, that many rounds: what disturbs the machine then disturbs all of them. */
export function wholeProcesses(commands: readonly string[][], rounds: number): Whole[] {
  const runs: Process[][] = commands.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, command] of commands.entries()) runs[index]!.push(wholeProcess(command))
  }
  return runs.map((all) => ({
    ms: median(all.map(({ ms }) => ms)),
    fastest: Math.min(...all.map(({ ms }) => ms)),
    peak: median(all.map(({ peak }) => peak)),
  }))
}

type Process = { ms: number; peak: number }

function wholeProcess(command: readonly string[]): Process {
  const started = performance.now()
  const { status, output, stderr, error } = spawnSync(process.execPath, ['--import', REPORT, ...command], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  const ms = performance.now() - started
  // 1 is an answer too: there are findings.
  if (error !== undefined || (status !== 0 && status !== 1)) {
    throw error ?? new Error(`${command.join(' ')} ended with ${status}: ${stderr}`)
  }
  return { ms, peak: Number(output[3]) }
}
