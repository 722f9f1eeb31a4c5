import { DiagLogLevel, diag } from '@opentelemetry/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { instrumentClient, instrumentServer } from '../../instrumentation/adapters/mcp.ts'
import { install, instrumentRunner } from '../../instrumentation/adapters/openai-agents.ts'
import { checkVersion } from '../../instrumentation/adapters/shared-version.ts'
import { capture } from '../instrumentation/captures.ts'

let warnings: string[] = []

beforeEach(() => {
  warnings = []
  const quiet = () => {}
  const logger = {
    debug: quiet,
    info: quiet,
    verbose: quiet,
    error: quiet,
    warn: (text: string) => warnings.push(text),
  }
  diag.setLogger(logger, { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true })
})
afterEach(() => diag.disable())

test('a version that was not tested is named once, with the ones that were', () => {
  checkVersion('typescript', /^1\./, 'tested with 1')
  checkVersion('typescript', /^1\./, 'tested with 1')
  checkVersion('vitest', /^4\./, 'tested with 4')
  checkVersion('not-installed-anywhere', /^1\./, 'tested with 1')
  expect(warnings).toEqual([expect.stringMatching(/typescript 5\.\d+\.\d+ is not a version .*tested with 1/)])
})

test('a runner without the hooks is left alone: one warning, and it runs on', async () => {
  class Other {
    go() {
      return 'as before'
    }
  }
  const runner = instrumentRunner(new Other())
  expect(instrumentRunner(runner)).toBe(runner)
  await install({ Runner: Other })
  expect(runner.go()).toBe('as before')
  expect(warnings).toEqual([expect.stringContaining('no Runner with a method run was found')])
})

test('a runner of another make that only has run is called as it is', async () => {
  class Bare {
    config = undefined
    async run(agent: string) {
      return `${agent} ran`
    }
  }
  const runner = instrumentRunner(new Bare())
  const events = await capture(async () => expect(await runner.run('A')).toBe('A ran'))
  expect(events.map(({ kind }) => kind)).toEqual(['run.start', 'run.end'])
  expect(warnings).toEqual([expect.stringContaining('the runner has no events or no config')])
})

// Before any adapter has asked for it: that is done once.
test('a package without a main file has a version all the same', () => {
  checkVersion('@modelcontextprotocol/sdk', /^0\./, 'tested with 0')
  expect(warnings).toEqual([expect.stringMatching(/modelcontextprotocol\/sdk 1\.\d+\.\d+ is not a version/)])
})

test('a client or a server of another make is left alone, with one warning each', () => {
  const client = { callTool: () => 'called', request: undefined as never }
  expect(instrumentClient(instrumentClient(client))).toBe(client)
  expect(client.callTool()).toBe('called')
  const server = { connect: () => 'connected', setRequestHandler: () => {} }
  expect(instrumentServer(instrumentServer(server))).toBe(server)
  expect(server.connect()).toBe('connected')
  expect(warnings).toEqual([
    expect.stringContaining('the client has no callTool or no request'),
    expect.stringContaining('the server has no setRequestHandler or no handlers'),
  ])
})
