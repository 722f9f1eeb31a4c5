import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { shellWord } from '../model/shell-word.ts'

/** What tells how a command was called: the script as it was named, the working directory, the environment. */
export type Surroundings = { script: string; cwd: string; env: Readonly<Record<string, string | undefined>> }

/**
 * How whoever reads a hint calls this command in their shell: `npx handspan` where npx called it or finds it (a clone, a
 * dependency of the project), `handspan` where the PATH has one, else Node with the script. npm runs a script in the
 * folder of its package: if the reader's shell stands elsewhere, the hint leads to that folder first.
 */
export function calledAs({ script, cwd, env }: Surroundings): string {
  const there =
    env.INIT_CWD !== undefined && real(env.INIT_CWD) !== real(cwd) ? `cd ${shellWord(cwd)} && ` : ''
  if (env.npm_lifecycle_event === 'npx' || npxFinds(script, cwd)) return `${there}npx handspan`
  return there + (isOnPath(env.PATH ?? '') ? 'handspan' : `node ${shellWord(script)}`)
}

let here: string | undefined

/** How the reader of this process calls it. Looked up once: every finding names a command. */
export function calledHere(): string {
  here ??= calledAs({ script: process.argv[1] ?? '', cwd: process.cwd(), env: process.env })
  return here
}

/** npx takes what the nearest package or a dependency of it, or of one above it, has. */
function npxFinds(script: string, cwd: string): boolean {
  const home = dirname(dirname(real(script)))
  let nearest = true
  for (let folder = real(cwd); ; folder = dirname(folder)) {
    const isPackage = existsSync(join(folder, 'package.json'))
    if ((isPackage && nearest && folder === home) || real(join(folder, 'node_modules', 'handspan')) === home)
      return true
    if (isPackage) nearest = false
    if (dirname(folder) === folder) return false
  }
}

/** Package runners put node_modules/.bin before the PATH of what they call; the shell of a reader has no such folder. */
function isOnPath(path: string): boolean {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '' && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .some((folder) => existsSync(join(folder, process.platform === 'win32' ? 'handspan.cmd' : 'handspan')))
}

/** A path without links; as it is where nothing is there. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
