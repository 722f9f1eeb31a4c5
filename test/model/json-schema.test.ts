import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { readItems } from '../../model/items.ts'
import { recordJsonSchema, runLogJsonSchema } from '../../model/json-schema.ts'
import { parseEvent, parseEventLine } from '../../model/parse-event.ts'
import { eventSchemas } from '../../model/run-log.ts'

const root = join(import.meta.dirname, '../..')
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
const validLine = ajv.compile(runLogJsonSchema())
const validRecord = ajv.compile(recordJsonSchema())

/** Throws with the validator's own words. */
function expectValid(value: unknown): void {
  if (!validLine(value)) throw new Error(`${ajv.errorsText(validLine.errors)}: ${JSON.stringify(value)}`)
}

describe('the published schema', () => {
  // `npm run schema` writes both files anew.
  it('is the one that the definitions give', async () => {
    const written = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`
    await expect(written(runLogJsonSchema())).toMatchFileSnapshot(join(root, 'docs/run-log.schema.json'))
    await expect(written(recordJsonSchema())).toMatchFileSnapshot(join(root, 'docs/record.schema.json'))
  })

  it('takes every line of every case, as the reader does', () => {
    const cases = join(root, 'test/cases')
    const files = [cases, join(cases, 'controls')].flatMap((directory) =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(directory, name)),
    )
    expect(files.length).toBeGreaterThan(40)
    for (const line of files.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'))) {
      expect(parseEventLine(line).reason).toBeUndefined()
      const event = JSON.parse(line)
      expectValid(event)
      if (event.record !== undefined) expect(validRecord(event.record)).toBe(true)
    }
  })

  it.each([
    { kind: 'message' },
    { run: '', kind: 'message' },
    { run: 'r' },
    { run: 'r', kind: 'message', v: 2 },
    { run: 'r', kind: 'operation' },
    { run: 'r', kind: 'truth', op: 'o' },
    ['r'],
  ])('refuses %j, as the reader does', (event) => {
    expect(validLine(event)).toBe(false)
    expect(parseEvent(event).event).toBeUndefined()
  })

  it.each([
    { run: 'r', kind: 'message', seq: '1' },
    { run: 'r', kind: 'message', seq: 1.5 },
    { run: 'r', kind: 'run.start', principal: 5 },
    { run: 'r', kind: 'handoff.sent', handoff: 'h', items_before: 'x' },
    { run: 'r', kind: 'handoff.received', handoff: 'h', record: { constraints: 'none' } },
    { run: 'r', kind: 'my.own', trace: 'x' },
  ])('refuses %j, of which the reader leaves out what it refuses', (event) => {
    expect(validLine(event)).toBe(false)
    expectValid(parseEvent(event).event)
  })

  it('asks writers to leave out what is null, which the reader takes as left out', () => {
    const event = { run: 'r', kind: 'message', agent: null }
    expect(validLine(event)).toBe(false)
    expect(parseEvent(event).event).toEqual({ run: 'r', kind: 'message' })
  })

  it('keeps unknown kinds and fields', () => {
    for (const event of [
      { run: 'r', kind: 'weather.changed', sky: ['grey'] },
      { run: 'r', kind: 'operation', op: 'o', mood: null },
    ]) {
      expectValid(event)
      expect(parseEvent(event).event).toBe(event)
    }
  })
})

describe('the page about the format', () => {
  const page = readFileSync(join(root, 'docs/run-log.md'), 'utf8')
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1]!)
  const lines = blocks('jsonl').flatMap((block) => block.trim().split('\n'))

  it('shows examples that are read and valid, one of each kind', () => {
    for (const line of lines) {
      expect(parseEventLine(line).reason).toBeUndefined()
      expectValid(JSON.parse(line))
    }
    const shown = new Set(lines.map((line) => JSON.parse(line).kind))
    expect([...shown].sort()).toEqual(Object.keys(eventSchemas).sort())
  })

  it('shows plain items that are read as the types they name', () => {
    const items = blocks('json').map((block) => JSON.parse(block) as { type: string }[])
    expect(items).toHaveLength(1)
    expect(readItems(items[0]).map(({ type }) => type)).toEqual(items[0]!.map(({ type }) => type))
  })
})
