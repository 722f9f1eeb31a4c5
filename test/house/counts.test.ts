import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

// A number that is put before a plural as it is reads "1 lines" some day; model/counts.ts knows better.
const NOUNS =
  'run|handoff|finding|event|span|item|line|row|token|byte|file|segment|match|place|day|export|retry|retrie'
const BARE = new RegExp(`(?:length|size|count|[a-z]s|\\)|total)\\} (?:[a-z]+ )?(?:${NOUNS})e?s\\b`)

describe('counts in what is shown', () => {
  it.each(['cli', 'report', 'tui', 'testing'])('%s puts none before a plural by hand', (folder) => {
    const found = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        readFileSync(join(ROOT, folder, name), 'utf8')
          .split('\n')
          .filter((line) => BARE.test(line))
          .map((line) => `${folder}/${name}: ${line.trim()}`),
      )
    expect(found).toEqual([])
  })
})
