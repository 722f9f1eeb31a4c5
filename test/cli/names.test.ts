import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

describe('what a command is given', () => {
  it('says of a file that is missing that it is missing, not that there is no such run', async () => {
    const folder = newFolder()
    const nowhere = join(folder, 'nowhere')
    for (const [command, dir] of [
      ['replay', nowhere],
      ['check', folder],
      ['tui', folder],
    ] as const)
      expect(await handspan([command, 'absent.jsonl', '--dir', dir])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: 'handspan: absent.jsonl does not exist.\nCheck the path.\n',
      })
    expect((await handspan(['runs', '--dir', nowhere])).stderr).toContain(`${nowhere} does not exist.`)
    const file = writeLog(folder, 'one.jsonl', [])
    for (const command of [['runs'], ['import', file], ['send', '--once']])
      expect(await handspan([...command, '--dir', file])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`handspan: ${file} is not a directory`),
      })
  })

  it('takes an empty name for a mistake, not for the working directory or any run', async () => {
    const cwd = newFolder()
    const log = writeLog(cwd, 'log.jsonl', lostKeyLog())
    await handspan(['import', log], { cwd })
    for (const [said, ...args] of [
      ['An argument', 'import', ''],
      ['An argument', 'check', log, ''],
      ['An argument', 'replay', ''],
      ['An argument', 'tui', '--plain', ''],
      ['An argument', 'backup', ''],
      ['--dir', 'runs', '--dir', ''],
      ['--db', 'query', 'handoffs', '--db='],
      ['--filter', 'what-if', log, '--filter', ''],
      ['An argument', 'lake', 'compact', ''],
    ] as const)
      expect([args, await handspan(args, { cwd })]).toEqual([
        args,
        {
          code: 2,
          stdout: '',
          stderr: `handspan: ${said} is empty.\nA variable that is not set in the shell looks like this.\n`,
        },
      ])
  })

  it('knows a file whose name begins as an option does', async () => {
    const cwd = newFolder()
    writeLog(cwd, '-log.jsonl', lostKeyLog())
    expect((await handspan(['check', '-log.jsonl'], { cwd })).stderr).toBe(
      "handspan: unknown option '-log.jsonl'\nThis is a file: name it with ./ before it.\n",
    )
    expect((await handspan(['check', './-log.jsonl'], { cwd })).code).toBe(1)
  })

  it('opens what it can of several files in the plain screens, and names what was not read', async () => {
    const folder = newFolder()
    const gone = join(folder, 'gone.jsonl')
    const torn = writeLog(folder, 'torn.jsonl', ['no event'])
    const log = writeLog(folder, 'log.jsonl', lostKeyLog())
    const { code, stdout, stderr } = await handspan(['tui', '--plain', gone, torn, log, 'r-typo'])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /gone\.jsonl does not exist\.\nCheck the path\.\n.*r-typo does not exist\.\n.*\n\S+torn\.jsonl:1: not valid JSON.*\n$/,
      ),
    ])
    expect(stdout).toContain('run r-lost')
    expect(await handspan(['tui', '--plain', gone, torn])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/gone\.jsonl does not exist\.\n\S+torn\.jsonl: no event could be read/),
    })
    expect((await handspan(['tui', '--plain', gone, 'r-typo'])).stderr).toContain(
      'gone.jsonl, r-typo do not exist.',
    )
  })

  it('says what it did not look for or at: an unknown check, a directory without logs, a time that is none', async () => {
    const folder = newFolder()
    const file = writeLog(
      folder,
      'one.jsonl',
      lostKeyLog('r-1').map((event, index) => ({
        ...event,
        at: index === 0 ? 'noon' : '2031-03-04T09:00:00Z',
      })),
    )
    const misspelt = await handspan(['findings', file, '--check', 'retry-newkey'])
    expect([misspelt.code, misspelt.stdout]).toEqual([2, ''])
    expect(misspelt.stderr).toContain("There is no check 'retry-newkey'. Did you mean retry-new-key?")
    const replayed = await handspan(['replay', file])
    expect(replayed.stdout).toContain('receives')
    expect(replayed.stdout).not.toContain('NaN')
    const empty = newFolder()
    writeFileSync(join(empty, 'package.json'), '{"name":"shop"}')
    const captures = join(folder, 'captures')
    const others = 'Name files with other endings one by one.'
    for (const [command, said] of [
      ['import', `, and no .json file with spans.\n${others}\n`],
      ['check', `.\n${others} npx handspan import --dir ${captures} takes in spans that others wrote.\n`],
    ] as const) {
      const looked = await handspan([command, empty, '--dir', captures])
      expect([looked.code, looked.stderr]).toEqual([
        2,
        expect.stringContaining(`${empty} holds no .jsonl or .ndjson file${said}`),
      ])
    }
    const zero = await handspan(['runs', '--limit', '0', '--dir', folder])
    expect(zero.stderr).toBe('handspan: --limit 0 is too small\nGive a number from 1 on.\n')
    const port = await handspan(['serve', '--port', '65536', '--dir', folder])
    expect(port.stderr).toBe('handspan: --port 65536 is too large\nGive a number from 0 to 65535.\n')
  })
})
