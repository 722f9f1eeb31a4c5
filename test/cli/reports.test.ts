import { once } from 'node:events'
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type JudgeOptions, judgeRuns } from '../../cli/judge.ts'
import { reportFormat } from '../../cli/report/formats.ts'
import type { FormatName } from '../../cli/report/report.ts'
import { checks } from '../../replay/catalogue/index.ts'
import { BINARY, newFolder, runNode, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

const HOSTILE =
  '</pre><script>alert(1)</script>"\'&<img src=x onerror=y> ]]> | [a](http://x.example) @all #1 `b`\n::error::owned\r%0A\u001b[2J\u202e\u0000\ufffe'

/** What a format prints of some files, in this process. */
async function printed(
  format: FormatName,
  files: string[],
  options: Partial<JudgeOptions> = {},
): Promise<string> {
  const lines: string[] = []
  const report = reportFormat(format)((line) => lines.push(line))
  await judgeRuns(files, { dir: newFolder(), failOn: 'error', ...options }, report)
  return `${lines.join('\n')}\n`
}

function lost(run?: string, extra?: Parameters<typeof lostKeyLog>[1]): string {
  return writeLog(newFolder(), 'lost.jsonl', lostKeyLog(run, extra))
}

const hostile = () =>
  lost(`r ${HOSTILE}`, { said: `Reserving 40 now. ${HOSTILE}`, agent: `orders ${HOSTILE}` })

/** The elements of a document in order, and the text between them; throws if they are not nested. */
function parseXml(text: string) {
  const open: string[] = []
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = []
  const body = text.replace(/^<\?xml [^>]*\?>/, '')
  for (const [, markup, words] of body.matchAll(/<([^<>]*)>([^<>]*)/g)) {
    if (markup!.startsWith('/')) {
      if (open.pop() !== markup!.slice(1)) throw new Error(`not nested: ${markup}`)
      continue
    }
    const name = /^[a-z-]+/.exec(markup!)![0]
    const attributes = Object.fromEntries(
      [...markup!.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key!, plainText(value!)]),
    )
    elements.push({ name, attributes, text: plainText(words!) })
    if (!markup!.endsWith('/')) open.push(name)
  }
  if (open.length > 0) throw new Error(`not closed: ${open}`)
  if (/[^\n\r\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text))
    throw new Error('holds what XML may not')
  if (/&(?!(amp|lt|gt|quot|#10);)/.test(text)) throw new Error('holds a bare ampersand')
  return elements
}

function plainText(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#10': '\n', amp: '&' }
  return text.replace(/&(lt|gt|quot|#10|amp);/g, (_, name: string) => names[name]!)
}

describe('junit', () => {
  it('has a test case for each check and handoff, and fails for what counts', async () => {
    const elements = parseXml(await printed('junit', [lost()]))
    const suite = elements.find(({ name }) => name === 'testsuite')!
    const cases = elements.filter(
      ({ name, attributes }) => name === 'testcase' && attributes.classname!.includes(' h1 '),
    )
    expect(cases.map(({ attributes }) => attributes.name)).toEqual(checks.map(({ id }) => id))
    const failures = elements.filter(({ name }) => name === 'failure')
    expect(failures.map(({ text }) => text).join()).toContain('o7:2')
    expect(suite.attributes).toMatchObject({ name: 'r-lost', failures: String(failures.length), errors: '0' })
  })

  it('does not fail for what the baseline knows', async () => {
    const file = lost()
    const baseline = join(newFolder(), 'known.json')
    await printed('junit', [file], { baseline, updateBaseline: true })
    const elements = parseXml(await printed('junit', [file], { baseline }))
    expect(elements.some(({ name }) => name === 'failure')).toBe(false)
    expect(elements.some(({ name }) => name === 'system-out')).toBe(true)
  })

  it('is well-formed whatever was captured', async () => {
    expect(parseXml(await printed('junit', [hostile()])).length).toBeGreaterThan(checks.length)
  })
})

describe('sarif', () => {
  // The package carries the published schema (draft 4) and the validator that reads it.
  const require = createRequire(createRequire(import.meta.url).resolve('@microsoft/jest-sarif'))
  const schema = require('./schemas/sarif-2.1.0-rtm.5.json')
  const Ajv = require('ajv')
  const ajv = new Ajv({ schemaId: 'auto', validateSchema: false })
  ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'))
  const validate = ajv.compile(schema)
  const sarif = async (files: string[], options?: Partial<JudgeOptions>) =>
    JSON.parse(await printed('sarif', files, options))

  it('fits the published schema: clean, with findings, hostile, suppressed, with a baseline', async () => {
    const clean = writeLog(newFolder(), 'clean.jsonl', [{ run: 'r-1', kind: 'run.start' }])
    const folder = newFolder()
    const config = join(folder, 'c.json')
    writeFileSync(
      config,
      JSON.stringify({ suppressions: [{ agents: ['orders'], reason: 'x', until: '2999-01-01' }] }),
    )
    const baseline = join(folder, 'b.json')
    await printed('text', [lost()], { baseline, updateBaseline: true })
    const logs = [
      await sarif([clean]),
      await sarif([lost(), hostile()]),
      await sarif([lost()], { config }),
      await sarif([lost()], { baseline }),
      await sarif([lost(), join(folder, 'gone.jsonl')]),
    ]
    for (const log of logs) {
      validate(log)
      expect(validate.errors ?? []).toEqual([])
    }
    const counts = logs.map(({ runs }) => runs[0].results.length)
    expect(counts[0]).toBe(0)
    expect(logs[2].runs[0].results[0].suppressions).toEqual([
      { kind: 'external', justification: 'x (until 2999-01-01)' },
    ])
    expect(logs[3].runs[0].results.map((result: { baselineState: string }) => result.baselineState)).toEqual(
      Array(counts[3]).fill('unchanged'),
    )
    expect(validate({ version: '2.1.0', runs: [{}] })).toBe(false)
  })

  it('keeps rule ids and fingerprints from run to run, and points to the line of the log', async () => {
    const files = [lost('r-a'), lost('r-b')]
    const [a, b] = await Promise.all(files.map((file) => sarif([file])))
    const identity = ({ runs }: typeof a) =>
      runs[0].results.map(({ ruleId, ruleIndex, partialFingerprints }: Record<string, unknown>) => [
        ruleId,
        runs[0].tool.driver.rules[ruleIndex as number].id,
        partialFingerprints,
      ])
    expect(identity(b)).toEqual(identity(a))
    const result = a.runs[0].results.find(
      ({ ruleId }: { ruleId: string }) => ruleId === 'op-in-doubt-key-missing',
    )
    const { artifactLocation, region } = result.locations[0].physicalLocation
    const line = readFileSync(new URL(artifactLocation.uri), 'utf8').split('\n')[region.startLine - 1]!
    expect(['operation', 'handoff.sent', 'handoff.received']).toContain(JSON.parse(line).kind)
  })
})

describe('what could not be read', () => {
  const missing = () => join(newFolder(), 'gone<&".jsonl')

  it('is an error in JUnit, a run without success in SARIF, an annotation at GitHub, and said in the pages', async () => {
    const file = missing()
    const said = `${file} does not exist.`
    const elements = parseXml(await printed('junit', [lost(), file]))
    const suite = elements.findLast(({ name }) => name === 'testsuite')!
    expect(suite.attributes).toMatchObject({ tests: '1', errors: '1' })
    expect(elements.find(({ name }) => name === 'error')!.attributes.message).toBe(said)
    const { runs } = JSON.parse(await printed('sarif', [lost(), file]))
    expect(runs[0].invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ level: 'error', message: { text: `${said} → Check the path.` } }],
      },
    ])
    expect(await printed('github', [lost(), file])).toContain(`::error title=could not be read::${said} → `)
    expect(await printed('html', [lost(), file])).toContain('gone&lt;&amp;&quot;.jsonl does not exist')
    expect(await printed('markdown', [lost(), file])).toContain('Not judged: ')
  })
})

describe('github', () => {
  it('prints one annotation a finding, whatever was captured, and appends a summary', async () => {
    const file = join(newFolder(), 'summary.md')
    writeFileSync(file, 'before\n')
    process.env.GITHUB_STEP_SUMMARY = file
    const lines = (await printed('github', [hostile()]).finally(() => delete process.env.GITHUB_STEP_SUMMARY))
      .trimEnd()
      .split('\n')
    const count = JSON.parse(await printed('sarif', [hostile()])).runs[0].results.length
    expect(lines).toHaveLength(count)
    for (const line of lines)
      expect(line).toMatch(/^::(error|warning|notice) file=[^,:]+,line=\d+,title=[^,:]+::[^\r]+$/)
    expect(lines.join()).not.toMatch(/%(?!25|0A|0D|3A|2C)/)
    expect(readFileSync(file, 'utf8')).toMatch(/^before\n# handspan check\n[\s\S]*op-in-doubt-key-missing/)
  })
})

describe('markdown', () => {
  it('shows captured text as text: rows keep their cells, no markup and no HTML gets through', async () => {
    const text = await printed('markdown', [hostile()])
    const rows = text.split('\n').filter((line) => line.startsWith('| '))
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row.replace(/\\./g, '').split('|')).toHaveLength(7)
    const bare = text.replaceAll('<!-- -->', '').replace(/\\./g, '')
    expect(bare).not.toMatch(/[<`[\]]|:\/\//)
    expect(text).not.toMatch(/[@#](?!<!-- -->)(?=all|1)/)
  })
})

describe('html', () => {
  it('is one file that loads and executes nothing, with the diff in it', async () => {
    const text = await printed('html', [hostile(), lost()])
    const tags = new Set([...text.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, tag]) => tag!.toLowerCase()))
    const known =
      '!doctype html head meta title style body h1 h2 h3 p section article code details summary pre'.split(
        ' ',
      )
    expect([...tags].filter((tag) => !known.includes(tag))).toEqual([])
    const attributes = [...text.matchAll(/<[a-z][^<>]*\s([a-z-]+)=/gi)].map(([, name]) => name)
    expect(attributes.filter((name) => !['charset', 'content', 'class', 'lang'].includes(name!))).toEqual([])
    expect(text).toContain("default-src 'none'")
    expect(text).not.toMatch(/url\(|@import/)
    expect(text).toContain('&lt;script&gt;')
    expect(text).toContain('sender: orders — operations log')
    expect([...text].filter((char) => (char < ' ' && char !== '\n') || char === '\u202e')).toEqual([])
  })
})

describe('counts', () => {
  it.each(['markdown', 'html'] as const)('%s counts one as one', async (format) => {
    const text = await printed(format, [writeLog(newFolder(), 'lost.jsonl', [...lostKeyLog(), 'no event'])])
    expect(text).toContain('1 run judged')
    expect(text).toContain('1 line could not be read')
    expect(text).not.toMatch(/\b1 \w+s\b/)
  })
})

describe('handspan check over many runs', () => {
  it('judges 1,000 runs of 200 events in little memory, and related runs together', async () => {
    const file = join(newFolder(), 'many.jsonl')
    const stream = createWriteStream(file)
    const filler = 'The warehouse answered, and the order goes on to the next step. '.repeat(3)
    for (let run = 0; run < 1000; run++) {
      const events: object[] = [...lostKeyLog(`r-${run}`).slice(0, -1)]
      for (let seq = events.length + 1; seq < 200; seq++)
        events.push({
          run: `r-${run}`,
          seq,
          at: new Date(Date.UTC(2031, 2, 4, 9, 1, seq)).toISOString(),
          kind: 'message',
          agent: 'billing',
          role: 'assistant',
          content: `${filler}${seq}`,
        })
      events.push({ run: `r-${run}`, seq: 200, at: '2031-03-04T10:00:00Z', kind: 'run.end' })
      stream.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    }
    // The first run is repeated at the very end, with other items at the receiver.
    const repeat = lostKeyLog('r-repeat').map((event) => ({
      ...event,
      ...('principal' in event ? { replay_of: 'r-0' } : {}),
      ...('by' in event
        ? { items: [{ id: 'u1', type: 'message', role: 'user', content: 'Set some aside.' }] }
        : {}),
    }))
    stream.end(repeat.map((event) => `${JSON.stringify(event)}\n`).join(''))
    await once(stream, 'close')
    // The log is some 70 MB, and several times that once parsed.
    const { code, stdout, stderr } = await runNode([
      '--max-old-space-size=110',
      BINARY,
      'check',
      file,
      '--format',
      'markdown',
    ])
    expect([code, stderr.replace(/^(judg.*\n)*/, '')]).toEqual([1, ''])
    expect(stdout).toContain('1,001 runs judged, 0 without findings')
    expect(stdout.match(/op-in-doubt-key-missing/g)!.length).toBe(1001)
    expect(stdout).toContain('payload-nondeterministic')
  })
})
