// Builds the package and the benchmarks into a folder of their own (another build may be running), runs them, and
// removes the folder. `node bench/run.mjs [names] [--size tiny] [--out FILE]`; see main.ts.
import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from './scratch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
// Below node_modules, so that the dependencies are found from there.
const folder = scratchFolder(join(root, 'node_modules', '.cache'))
let running
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    const code = 128 + constants.signals[signal]
    if (running === undefined || running.exitCode !== null) process.exit(code)
    // It leads a group of its own: with it end the probes and all that they started.
    process.kill(-running.pid, 'SIGKILL')
    running.once('exit', () => process.exit(code))
  })
}

const cwd = process.cwd()
process.chdir(root)
// Only now: the bundler keeps the folder in which it was loaded.
const { build } = await import('tsup')
copyFileSync('package.json', join(folder, 'package.json'))
// The package as tsup.config.ts builds it, without the declarations.
await build({ outDir: join(folder, 'dist'), dts: false, silent: true })
await build({
  config: false,
  // The thread that judges lies beside what starts it, as in the package.
  entry: {
    main: 'bench/main.ts',
    probe: 'bench/probe.ts',
    'parent-watch': 'cli/parent-watch.ts',
    'judge-worker': 'store/judge-worker.ts',
  },
  outDir: join(folder, 'bench'),
  format: 'esm',
  target: 'node20',
  platform: 'node',
  splitting: true,
  skipNodeModulesBundle: true,
  loader: { '.sql': 'text' },
  silent: true,
})

const main = join(folder, 'bench', 'main.js')
running = spawn(process.execPath, [main, folder, ...process.argv.slice(2)], {
  cwd,
  stdio: 'inherit',
  detached: true,
})
running.once('exit', (code) => {
  process.exitCode = code ?? 1
})
