import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runNode } from './cli/command.ts'
import { packedProject } from './packed-project.ts'

const ROOT = resolve(import.meta.dirname, '..')

type Manifest = {
  exports: Record<string, string | { types: string; default: string }>
  files: string[]
  version: string
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
const entries = Object.keys(manifest.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => entry.replace('.', 'handspan'))

describe('the package', () => {
  let project: string

  beforeAll(() => {
    project = packedProject()
  }, 300_000)

  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('exports files that are in the tarball, types first', () => {
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === 'string') continue
      expect(Object.keys(target)).toEqual(['types', 'default'])
      for (const file of Object.values(target)) {
        expect([entry, existsSync(join(project, 'node_modules/handspan', file))]).toEqual([entry, true])
      }
    }
  })

  it('can be imported by every entry, and its command runs', async () => {
    writeFileSync(
      join(project, 'entries.mjs'),
      `for (const entry of ${JSON.stringify(entries)}) console.log(entry, Object.keys(await import(entry)).length)\n`,
    )
    const { stdout, stderr, code } = await runNode(['entries.mjs'], { cwd: project })
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => Number(line.split(' ')[1]) > 0),
    ).toEqual(entries.map(() => true))
    const version = execFileSync(join(project, 'node_modules/.bin/handspan'), ['--version'], {
      encoding: 'utf8',
    })
    expect(version.trim()).toBe(manifest.version)
  })

  it.skipIf(!process.features.require_module)('can be required by every entry', async () => {
    writeFileSync(
      join(project, 'entries.cjs'),
      `for (const entry of ${JSON.stringify(entries)}) console.log(entry, Object.keys(require(entry)).length)\n`,
    )
    const { stdout, stderr, code } = await runNode(['entries.cjs'], { cwd: project })
    expect([stderr, code]).toEqual(['', 0])
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/ [1-9]\d*$/, ' exports')),
    ).toEqual(entries.map((entry) => `${entry} exports`))
  })

  it('has types that a strict user can compile against', () => {
    writeFileSync(
      join(project, 'user.ts'),
      `import { start } from 'handspan'
import { analyse, type Analysis } from 'handspan/replay'
import { openStore } from 'handspan/store'

const handspan = start({ service: 'orders' })
export async function main(): Promise<Analysis> {
  return handspan.run({ principal: { kind: 'human', id: 'u-17' } }, async (run) => {
    const reserve = run.tool(async (args: { sku: string }) => args.sku.length, { name: 'reserve', key: (args) => args.sku })
    const count: number = await reserve({ sku: 'A-7' })
    const handoff = run.handoff({ from: 'a', to: 'b', items: [count] })
    const received = handspan.receive(handoff.carrier, { by: 'b', items: [], record: handoff.record })
    for (const operation of received.record.open_operations) await received.settle(operation, async () => 1)
    const store = await openStore('.handspan')
    return analyse(await store.readRun(run.id))
  })
}
`,
    )
    // The same from CommonJS, which TypeScript's `nodenext` compiles to `require`.
    writeFileSync(
      join(project, 'user.cts'),
      "import { start } from 'handspan'\nimport { handspanCallbacks } from 'handspan/langgraph'\n" +
        "export const program = [start({ service: 'orders' }), handspanCallbacks()]\n",
    )
    const config = {
      compilerOptions: {
        strict: true,
        module: 'nodenext',
        target: 'es2022',
        noEmit: true,
        skipLibCheck: false,
        types: [],
      },
      files: ['user.ts', 'user.cts'],
    }
    const compile = (options: object) => {
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(options))
      try {
        return execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
      } catch (error) {
        return (error as { stdout: string }).stdout
      }
    }
    const printed = compile(config)
    // The database's own types are not written for `skipLibCheck: false`; everything of handspan is.
    expect(printed.split('\n').filter((line) => /^(user\.c?ts|node_modules\/handspan)/.test(line))).toEqual(
      [],
    )
    // A program without the types of Node or of a framework, which bring more than a target does.
    writeFileSync(
      join(project, 'plain.ts'),
      "import { start } from 'handspan'\nimport { analyse } from 'handspan/replay'\nimport { openStore } from 'handspan/store'\n" +
        "import { expectHandoff } from 'handspan/testing'\nexport const all = [start, analyse, openStore, expectHandoff]\n",
    )
    expect(compile({ ...config, files: ['plain.ts'] })).toBe('')
  })

  it('passes publint and are-the-types-wrong', () => {
    const run = (command: string, ...args: string[]) =>
      execFileSync(join(ROOT, 'node_modules/.bin', command), args, {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    expect(run('publint', '--strict')).toContain('All good')
    // A problem makes it exit with 1, and that throws; what it names are the resolutions of our only format.
    expect(run('attw', '--pack', '.', '--profile', 'esm-only')).toContain('node16 (from ESM): 🟢 (ESM)')
  })

  it('keeps everything heavy out of what the entry for agents reaches', () => {
    const dist = join(project, 'node_modules/handspan/dist')
    const reached = new Map<string, string>()
    const visit = (file: string): void => {
      if (reached.has(file)) return
      const text = readFileSync(join(dist, file), 'utf8')
      reached.set(file, text)
      for (const [, next] of text.matchAll(/from\s*["']\.\/([^"']+)["']/g)) visit(next!)
    }
    visit('index.js')
    const packages = [...reached.values()].flatMap((text) =>
      [...text.matchAll(/from\s*["']([^."'][^"']*)["']/g)].map(([, name]) => name!),
    )
    expect(packages.length).toBeGreaterThan(0)
    expect(packages.filter((name) => !isBuiltin(name) && name !== 'ulid')).toEqual([])
  })
})
