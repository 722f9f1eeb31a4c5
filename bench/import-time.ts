import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Benchmark } from './benchmark.ts'
import { type Whole, wholeProcesses } from './children.ts'
import { figure, megabytes, ratio } from './figures.ts'

const HEAVY = ['@duckdb', 'zod', 'ink', 'react', '@opentelemetry']

export const importTime: Benchmark = {
  name: 'import-time',
  about: 'What `import { start } from "handspan"` adds to the start of an agent, in whole fresh processes.',
  async run({ size, product, scratch }) {
    const entry = pathToFileURL(join(product, 'dist', 'index.js')).href
    const program = (name: string, text: string): string => {
      // Beside the package, so that the dependencies are found.
      const path = join(product, name)
      writeFileSync(path, text)
      return path
    }
    const empty = program('empty.mjs', '')
    const own = program('own.mjs', `import { start } from '${entry}'\nvoid start\n`)
    const api = program('api.mjs', "import { trace } from '@opentelemetry/api'\nvoid trace\n")
    const [base, ours, theirs] = wholeProcesses([[empty], [own], [api]], size === 'full' ? 31 : 2)
    const row = (name: string, whole: Whole): string[] => [
      name,
      figure(whole.ms),
      figure(whole.ms - base!.ms),
      ratio(whole.ms, base!.ms),
      figure(whole.fastest),
      figure(whole.fastest - base!.fastest),
      megabytes(whole.peak),
      megabytes(whole.peak - base!.peak),
    ]
    const loaded = loadedModules(own, scratch)
    return [
      {
        title: 'Whole processes',
        columns: ['', 'ms', 'ms added', 'to an empty one', 'fastest ms', 'added', 'peak memory', 'added'],
        rows: [
          row('an empty program', base!),
          row('importing handspan', ours!),
          row('importing @opentelemetry/api, for comparison', theirs!),
        ],
        note: 'Budget: under 60 ms added. Medians, and the fastest of all, which other work disturbs least; the three take turns.',
      },
      {
        title: 'Modules that importing handspan loads',
        columns: ['of', 'modules'],
        rows: [
          ['handspan itself', String(loaded.filter((path) => path.includes('/dist/')).length)],
          ...HEAVY.map((name) => [
            name,
            String(loaded.filter((path) => path.includes(`/node_modules/${name}/`)).length),
          ]),
        ],
      },
    ]
  },
}

/** Paths of the modules that a program loads, whether imported or required. */
function loadedModules(program: string, scratch: string): string[] {
  const list = join(scratch, 'modules.txt')
  const note = (what: string) => `appendFileSync(${JSON.stringify(list)}, ${what} + '\\n')`
  const hooks = join(scratch, 'hooks.mjs')
  const register = join(scratch, 'register.mjs')
  writeFileSync(
    hooks,
    `import { appendFileSync } from 'node:fs'
     export const load = (url, context, next) => {
       ${note('url')}
       return next(url, context)
     }`,
  )
  writeFileSync(
    register,
    `import { appendFileSync } from 'node:fs'
     import module from 'node:module'
     module.register(${JSON.stringify(pathToFileURL(hooks).href)})
     process.on('exit', () => ${note("Object.keys(module._cache).join('\\n')")})`,
  )
  // Newer versions of Node warn of the hooks that the oldest one has.
  execFileSync(process.execPath, ['--no-deprecation', '--import', pathToFileURL(register).href, program])
  return [...new Set(readFileSync(list, 'utf8').trim().split('\n'))]
}
