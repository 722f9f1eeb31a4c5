import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import { describe, expect, it } from 'vitest'
import { BINARY } from '../cli/command.ts'
import { newFolder, startServer } from './serving.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/serve.md'), 'utf8')

/** The commands after a marker such as `<!-- curl -->`. */
function block(marker: string): string {
  const found = new RegExp(`<!-- ${marker} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(PAGE)
  if (found === null) throw new Error(`docs/serve.md has no block ${marker}`)
  return found[1]!
}

function has(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!has('curl'))('the page about serve', () => {
  it('gives commands that work', async () => {
    const server = await startServer()
    const folder = newFolder()
    // `handspan` as an installed package has it; the server listens at a port of its own.
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'handspan'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`)
    chmodSync(join(bin, 'handspan'), 0o755)
    cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true })
    const run = (marker: string) =>
      execShell(block(marker).replaceAll('127.0.0.1:4318', `127.0.0.1:${server.port}`), folder, {
        PATH: `${bin}${delimiter}${process.env.PATH}`,
        HANDSPAN_DIR: server.directory,
        OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      })

    expect(await run('curl')).toBe('{}')
    expect(await run('watch')).toContain('"events":1,')
    if (has('python3')) expect(await run('python')).toMatch(/py-\w+ .*orders, billing/)
    const events = server.report().counters.events

    mkdirSync(join(folder, 'objects'))
    writeFileSync(
      join(folder, 'objects', 'a.binpb'),
      ProtobufLogsSerializer.serializeRequest([note(1), note(2)])!,
    )
    writeFileSync(join(folder, 'objects', 'b.binpb'), ProtobufLogsSerializer.serializeRequest([note(3)])!)
    expect(await run('objects')).toBe('')
    expect(server.report().counters).toMatchObject({ events: events + 3, rejected: 0, refused: {} })
  })

  it('names the options, the port and the limits that there are', () => {
    const help = execFileSync(process.execPath, [BINARY, 'serve', '--help'], { encoding: 'utf8' })
    for (const [option] of PAGE.matchAll(/--(?:host|port|dir|token-file|max-request)\b/g))
      expect(help).toContain(option)
    expect(help).toContain('"4318"')
    expect(help).toContain('"127.0.0.1"')
    expect(help).toContain('"64"')
  })
})

function note(seq: number): ReadableLogRecord {
  return {
    hrTime: [1_900_000_000, 0],
    hrTimeObserved: [1_900_000_000, 0],
    eventName: 'handspan.note',
    body: JSON.stringify({ run: 'objects', seq, kind: 'note', writer: 'w' }),
    resource: resourceFromAttributes({}),
    instrumentationScope: { name: 'handspan' },
    attributes: {},
    droppedAttributesCount: 0,
  }
}

/** Not synchronously: the server that it talks to lives in this process. */
function execShell(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((done, fail) => {
    execFile(
      'bash',
      ['-euo', 'pipefail', '-c', script],
      { cwd, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        if (error === null) done(stdout)
        else fail(new Error(`${script}\n${stderr}`))
      },
    )
  })
}
