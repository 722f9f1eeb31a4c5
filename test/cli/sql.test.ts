import { describe, expect, it } from 'vitest'
import { handspan, newFolder } from './command.ts'

describe('a query that begins with a comment', () => {
  const query = "-- all of them\nSELECT 'a' || 'b' AS word -- no more"

  it('is taken behind --, and from stdin', async () => {
    const dir = ['--dir', newFolder()]
    const behind = await handspan(['sql', '--json', ...dir, '--', query])
    expect(JSON.parse(behind.stdout).rows).toEqual([{ word: 'ab' }])
    const read = await handspan(['sql', '-', '--json', ...dir], { input: query })
    expect(JSON.parse(read.stdout).rows).toEqual([{ word: 'ab' }])
    const metric = await handspan(['query', 'key-coverage', '--sql'])
    const measured = await handspan(['sql', '--json', ...dir, '--', metric.stdout])
    expect(JSON.parse(measured.stdout).columns[1]).toMatchObject({ name: 'value' })
  })

  it('is no option: the error says where it belongs; a misspelt option is still called one', async () => {
    const dir = ['--dir', newFolder()]
    const taken = await handspan(['sql', query, ...dir])
    expect([taken.code, taken.stdout]).toEqual([2, ''])
    expect(taken.stderr).toContain('What begins with - and is no option stands last, behind --')
    expect(taken.stderr).toContain('sql -\n')
    const misspelt = await handspan(['sql', 'SELECT 1', '--jsn', ...dir])
    expect(misspelt.stderr).toMatch(
      /unknown option '--jsn'\n\(Did you mean --json\?\)\n.*sql --help says how it is called/,
    )
  })
})
