import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { complaints } from '../cli/command.ts'

const ROOT = resolve(import.meta.dirname, '../..')
// All but `queries`, which fills databases for half a minute even at this size.
const NAMES = ['record-event', 'import-time', 'ingest', 'analyse', 'checks', 'cli', 'otlp']
const folder = mkdtempSync(join(tmpdir(), 'handspan-bench-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function bench(...args: string[]) {
  return spawnSync(process.execPath, [join(ROOT, 'bench/run.mjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
}

/** The rows of every table in a text, as cells, without heads and rules. */
function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  const rules = lines.map((line) => /^\|[-:|]+\|$/.test(line))
  return lines
    .filter((_, index) => !rules[index] && !rules[index + 1])
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

/** The command lines of the processes that run something of a folder. */
function commandLines(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return line.includes(folder) ? [line] : []
      } catch {
        return []
      }
    })
}

const PATIENCE = { timeout: 60_000, interval: 50 }

describe('benchmarks', () => {
  let out = ''
  let page = ''
  let pid = 0

  // What is measured at this size says nothing: only that every benchmark runs and states its figures.
  beforeAll(() => {
    const path = join(folder, 'page.md')
    const done = bench(...NAMES, '--size', 'tiny', '--out', path)
    expect(complaints(done.stderr)).toBe('')
    expect(done.status).toBe(0)
    out = done.stdout
    pid = done.pid
    page = readFileSync(path, 'utf8')
  }, 240_000)

  it.each(NAMES)('%s runs and prints its ratios or rates', (name) => {
    const section = out.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? ''
    const rows = tableRows(section)
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.flat().filter((cell) => /^[\d,.]+(x| %)$/.test(cell)).length).toBeGreaterThan(0)
    expect(section).not.toMatch(/NaN|undefined|Infinity/)
    expect(section).toContain(`node bench/run.mjs ${name}\n`)
  })

  it('loads nothing heavy with the instrumentation entry', () => {
    const modules = new Map(
      tableRows(out)
        .filter(([, count, ...rest]) => rest.length === 0 && /^\d+$/.test(count!))
        .map(([name, count]) => [name, Number(count)]),
    )
    expect(modules.get('handspan itself')).toBeGreaterThan(0)
    for (const name of ['@duckdb', 'zod', 'ink', 'react', '@opentelemetry']) expect(modules.get(name)).toBe(0)
  })

  it('writes a page that names the machine and no path of it', () => {
    expect(page).toContain(process.version)
    for (const name of NAMES) expect(page).toContain(`## ${name}\n`)
    expect(page).not.toContain(ROOT)
    expect(page).not.toContain(folder)
  })

  const scratch = () => readdirSync(join(ROOT, 'node_modules/.cache'))

  it('leaves nothing behind', () => {
    expect(scratch()).not.toContain(`handspan-bench-${pid}`)
  })

  // Who runs what is read from /proc.
  describe.runIf(process.platform === 'linux')('when it is killed', () => {
    let killed = ''

    it.concurrent.each(['SIGTERM', 'SIGKILL'] as const)('by %s, ends what it started', async (signal) => {
      const run = spawn(process.execPath, [join(ROOT, 'bench/run.mjs'), 'queries'], { stdio: 'ignore' })
      const name = `handspan-bench-${run.pid}`
      await vi.waitUntil(() => commandLines(name).some((line) => line.includes('probe.js')), PATIENCE)
      run.kill(signal)
      await once(run, 'exit')
      await vi.waitUntil(() => commandLines(name).length === 0, PATIENCE)
      if (signal === 'SIGKILL') killed = name
      else expect(scratch()).not.toContain(name)
    })

    it('the soak ends its server and its senders', async () => {
      const run = spawn(process.execPath, [join(ROOT, 'bench/soak.mjs')], { stdio: 'ignore' })
      const name = `handspan-bench-${run.pid}`
      await vi.waitUntil(() => commandLines(name).some((line) => line.includes('soak-sender')), PATIENCE)
      expect(commandLines(name).some((line) => line.includes('serve'))).toBe(true)
      run.kill('SIGKILL')
      await vi.waitUntil(() => commandLines(name).length === 0, PATIENCE)
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    })

    it('refuses a name that it does not know, and removes what a killed one has left', () => {
      expect(scratch()).toContain(killed)
      const { status, stderr } = bench('no-such-benchmark')
      expect(status).toBe(2)
      expect(stderr).toContain('usage: node bench/run.mjs')
      expect(scratch()).not.toContain(killed)
    })
  })
})
