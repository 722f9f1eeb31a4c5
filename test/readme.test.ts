import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handspan, runNode } from './cli/command.ts'
import { packedProject } from './packed-project.ts'

const ROOT = resolve(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The fenced block after a marker such as `<!-- project -->`. */
function block(marker: string): string {
  const found = new RegExp(`<!-- ${marker} -->\\n\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(README)
  if (found === null) throw new Error(`README has no block ${marker}`)
  return found[1]!
}

/** Runs a block of shell lines, as a reader would paste it; stops at the first line that fails. */
function shell(script: string, cwd: string): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', npm_config_offline: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The same without npx, which finds the command that is installed here and takes longer for it than most commands run. */
function withoutNpx(script: string): string {
  return script.replaceAll('npx handspan', 'node_modules/.bin/handspan')
}

describe('the README', () => {
  let project: string

  beforeAll(() => {
    project = packedProject()
    cpSync(join(ROOT, 'examples'), join(project, 'examples'), { recursive: true })
    writeFileSync(join(project, 'two-agents.mjs'), block('two-agents'))
  }, 300_000)

  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('shows the diff as it really is', async () => {
    const { stdout } = await handspan(['diff', join(ROOT, 'examples/lost-key.jsonl'), 'h-1'])
    expect(stdout).toContain(block('diff').trimEnd())
    expect(block('diff').split('\n').length).toBeGreaterThan(10)
  })

  it('shows the example as it really is', () => {
    expect(block('two-agents')).toBe(readFileSync(join(ROOT, 'examples/two-agents.mjs'), 'utf8'))
  })

  it('instruments in two lines that run', async () => {
    const folder = join(project, 'two-lines')
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.mjs'), block('two lines'))
    expect(await runNode(['a.mjs'], { cwd: folder })).toMatchObject({ code: 0, stderr: '' })
  })

  it('gives commands for a project of your own that work', () => {
    // The install line is the one the package test stands for: the tarball instead of the registry.
    const lines = block('project')
      .split('\n')
      .filter((line) => line !== '' && line !== 'npm install handspan')
    const printed = shell(lines.join('\n'), project)
    expect(printed).toContain('40 of A-7 are reserved')
    expect(printed).toContain('✓ carried')
  })

  it.each(['replay', 'query'])('gives commands for the part %s that work', (marker) => {
    const printed = shell(withoutNpx(block(marker)), project)
    expect(printed.length).toBeGreaterThan(200)
  })

  it('gives commands for other hosts that work: what one directory holds arrives in another', async () => {
    writeFileSync(join(project, 'token'), 'a-token-of-this-test\n')
    const server = spawn(
      'bash',
      ['-c', `exec ${withoutNpx(block('serve').trim())} --port 0 --token-file token --dir received`],
      { cwd: project, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    try {
      const url = await new Promise<string>((found) => {
        createInterface({ input: server.stderr! }).on('line', (line) => {
          const at = /listening at (http:\S+),/.exec(line)?.[1]
          if (at !== undefined) found(at)
        })
      })
      const send = block('send').trim().replace('https://traces.example:4318', url)
      shell(`${withoutNpx(send)} --once`, project)
      const runs = shell(withoutNpx('npx handspan runs --dir received --json'), project)
      expect((JSON.parse(runs) as { runs: unknown[] }).runs).not.toEqual([])
    } finally {
      server.kill()
      await new Promise((ended) => server.once('exit', ended))
    }
  })

  it('gives a command for runs that others instrumented that works', () => {
    const traces = 'test/importers/traces/langgraph-js-swarm.openinference.otlp.json'
    cpSync(join(ROOT, traces), join(project, 'traces.json'))
    shell(`HANDSPAN_DIR=foreign ${withoutNpx(block('foreign'))}`, project)
    expect(shell(withoutNpx('HANDSPAN_DIR=foreign npx handspan runs'), project)).toContain('refund_agent')
  })

  it('runs the demo with its first command, and the tests with its second, as the gate does', () => {
    const scripts = (
      JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    ).scripts
    expect(README).toContain('npm ci && npm run demo')
    expect(README).toContain('npm ci && npm test')
    expect(scripts.demo).toContain('demo')
    const gate = readFileSync(join(ROOT, '.ci/run'), 'utf8')
    expect(gate).toContain('npm ci')
    expect(gate).toMatch(/^npm run --silent demo/m)
    expect(gate).toMatch(/^npm test$/m)
  })

  it('links to files that are there', () => {
    for (const [, target] of README.matchAll(/\]\(([^)#]+)\)/g)) {
      expect([target, existsSync(join(ROOT, target!))]).toEqual([target, true])
    }
  })
})
