import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/*
 * The floors of the house: a folder imports only from lower ones. Two stairs stand on the ground floor: the analysis
 * (replay, store, queries, tui, cli) and what runs inside somebody's agent (instrumentation, lab).
 */
const ALLOWED: Record<string, string[]> = {
  model: [],
  replay: ['model'],
  report: ['model', 'replay'],
  otlp: ['model'],
  importers: ['model', 'otlp'],
  store: ['model', 'replay', 'otlp', 'importers'],
  queries: ['model', 'replay', 'store'],
  collector: ['model', 'otlp', 'store'],
  lake: ['model', 'replay', 'store', 'queries'],
  testing: ['model', 'replay'],
  instrumentation: ['model'],
  lab: ['model', 'instrumentation'],
  tui: ['model', 'replay', 'report', 'store', 'queries', 'instrumentation', 'lab'],
  cli: [
    'model',
    'otlp',
    'importers',
    'replay',
    'report',
    'store',
    'queries',
    'collector',
    'lake',
    'instrumentation',
    'lab',
    'tui',
  ],
}

const ROOT = resolve(import.meta.dirname, '../..')

/** Largest file that may stand without being split, in lines. */
const LONGEST = 300

type Import = { from: string; specifier: string; typeOnly: boolean }

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  const found = [
    ...text.matchAll(/(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/g),
  ]
  const lazy = [...text.matchAll(/import\(\s*['"]([^'"]+)['"]\s*\)/g)]
  return [
    ...found.map(([, , type, specifier]) => ({
      from: file,
      specifier: specifier!,
      typeOnly: type !== undefined,
    })),
    ...lazy.map(([, specifier]) => ({ from: file, specifier: specifier!, typeOnly: false })),
  ]
}

/** Imports of files that end up at themselves: files that import nothing of the rest, or that nothing imports, go first. */
function cyclesIn(files: readonly string[], withTypes: boolean): string[] {
  const left = new Map(
    files.map((file) => {
      const imports = importsOf(file).filter(
        ({ specifier, typeOnly }) => specifier.startsWith('.') && (withTypes || !typeOnly),
      )
      return [file, imports.map(({ specifier }) => resolve(dirname(file), specifier))] as const
    }),
  )
  for (let before = Number.POSITIVE_INFINITY; left.size < before; ) {
    before = left.size
    const imported = new Set([...left.values()].flat())
    for (const [file, targets] of left)
      if (!imported.has(file) || !targets.some((target) => left.has(target))) left.delete(file)
  }
  return [...left].flatMap(([file, targets]) =>
    targets
      .filter((target) => left.has(target))
      .map((target) => `${relative(ROOT, file)} imports ${relative(ROOT, target)}`),
  )
}

const folders = Object.keys(ALLOWED).filter(
  (folder) => readdirSync(ROOT).includes(folder) && sources(folder).length > 0,
)

describe('floors', () => {
  it('finds the folders', () => {
    expect(folders).toEqual(
      expect.arrayContaining(['model', 'replay', 'store', 'instrumentation', 'lab', 'cli']),
    )
  })

  it.each(folders)('%s imports only from lower floors', (folder) => {
    const wrong = sources(folder)
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ from, specifier }) => ({
        from: relative(ROOT, from),
        to: relative(ROOT, resolve(dirname(from), specifier)),
      }))
      .filter(({ to }) => {
        const target = to.split('/')[0]!
        return target !== folder && !ALLOWED[folder]!.includes(target)
      })
    expect(wrong).toEqual([])
  })

  it('has no import that leads back to where it stands', () => {
    expect(cyclesIn(folders.flatMap(sources), false)).toEqual([])
  })

  // Types may know each other where two halves of one thing are written apart, as run and current run in instrumentation.
  it.each(folders.filter((folder) => folder !== 'instrumentation'))(
    '%s has no such import of types either',
    (folder) => {
      expect(cyclesIn(sources(folder), true)).toEqual([])
    },
  )

  it('keeps everything heavy out of instrumentation', () => {
    const heavy = sources('instrumentation')
      .flatMap(importsOf)
      .filter(({ specifier, typeOnly }) => !typeOnly && /^(zod|ink|react|@duckdb\/)/.test(specifier))
    expect(heavy).toEqual([])
  })

  it('lets instrumentation and what it reaches use the schemas as types only', () => {
    const reached = new Set<string>()
    const visit = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      for (const { specifier, typeOnly } of importsOf(file)) {
        if (!typeOnly && specifier.startsWith('.')) visit(resolve(dirname(file), specifier))
      }
    }
    for (const entry of ['index.ts', 'sending/index.ts', 'tracing/index.ts']) {
      visit(join(ROOT, 'instrumentation', entry))
    }
    expect(reached.size).toBeGreaterThan(10)
    const schemas = [...reached].filter((file) =>
      importsOf(file).some(({ specifier, typeOnly }) => specifier === 'zod' && !typeOnly),
    )
    expect(schemas.map((file) => relative(ROOT, file))).toEqual([])
  })

  it('does no I/O in model and replay', () => {
    const io = ['model', 'replay']
      .flatMap(sources)
      .flatMap(importsOf)
      .filter(
        ({ specifier, typeOnly }) =>
          !typeOnly && /^node:(fs|net|http|child_process|worker_threads)/.test(specifier),
      )
    expect(io).toEqual([])
  })

  it.each(folders)('%s has no file over the limit', (folder) => {
    const long = sources(folder)
      .map((file) => ({ file: relative(ROOT, file), lines: readFileSync(file, 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > LONGEST)
    expect(long).toEqual([])
  })
})
