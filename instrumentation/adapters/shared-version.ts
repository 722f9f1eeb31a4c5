import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { report } from '../otel.ts'
import { fieldOf } from '../storable.ts'

const asked = new Set<string>()

/** Warns once if the installed version of a package is not one that the adapter was tested with. */
export function checkVersion(name: string, tested: RegExp, words: string): void {
  if (asked.has(name)) return
  asked.add(name)
  const version = installedVersion(name)
  if (version === undefined || tested.test(version)) return
  report('warn', `${name} ${version} is not a version this adapter knows (${words}): captures may have gaps`)
}

/** Warns once that a framework has not what the adapter needs; nothing is captured, and the agent runs on. */
export function warnMissing(name: string, what: string): void {
  if (asked.has(`${name} ${what}`)) return
  asked.add(`${name} ${what}`)
  report('warn', `${name}: ${what}: nothing of it is captured, the agent runs on`)
}

/** Version of a package as the program would load it; undefined if it cannot be found. */
function installedVersion(name: string): string | undefined {
  for (const from of [path.join(process.cwd(), 'index.js'), import.meta.url]) {
    // Some packages have no main file; then one of the folder that its package.json names.
    for (const file of [name, `${name}/package.json`]) {
      try {
        return versionAbove(createRequire(from).resolve(file), name)
      } catch {
        // Not installed there.
      }
    }
  }
  return undefined
}

/** The package.json that a file belongs to: packages seldom export it. */
function versionAbove(file: string, name: string): string | undefined {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    try {
      const found: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
      if (fieldOf(found, 'name') === name) return String(fieldOf(found, 'version'))
    } catch {
      // Folders inside of a package have none.
    }
    if (folder === path.dirname(folder)) return undefined
  }
}
