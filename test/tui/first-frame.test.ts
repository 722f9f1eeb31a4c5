import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** What `draw` needs before anything is shown (tui/index.ts). */
const FIRST = ['tui/index.ts', 'tui/new-session.ts', 'tui/frame.ts']

/** Modules that are loaded with a file; those that it loads later, when it needs them, are not followed. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  const imports = text.matchAll(/(?:^|\n)(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gu)
  for (const [, typeOnly, names, specifier] of imports) {
    const onlyTypes = /^\{(?:\s*type\s+\w+\s*,?)+\s*\}$/u.test(names!)
    if (typeOnly !== undefined || onlyTypes) continue
    if (!specifier!.startsWith('.')) seen.add(specifier!)
    else loadedWith(resolve(dirname(file), specifier!), seen)
  }
  return seen
}

it('nothing heavy is loaded before the first frame: no ink, no zod, no DuckDB, no checks, no metrics', () => {
  const loaded = new Set(FIRST.flatMap((file) => [...loadedWith(join(ROOT, file))]))
  const files = [...loaded].filter(existsSync).map((file) => relative(ROOT, file))
  expect(files).toContain('tui/session.ts')
  const packages = [...loaded].filter((name) => !existsSync(name) && !name.startsWith('node:'))
  expect(packages).toEqual(['string-width'])
  expect(files.filter((file) => /^(?:replay|store|queries|lab|instrumentation)\//u.test(file))).toEqual([])
})
