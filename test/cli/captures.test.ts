import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handspan, newFolder, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

describe('the directory of the captures', () => {
  // Asked for a folder there and its parents at once, Node tries for ever.
  it.runIf(existsSync('/proc/self'))('is refused where no directory can be made', async () => {
    const folder = newFolder()
    const log = writeLog(folder, 'log.jsonl', lostKeyLog())
    const captures = ['--dir', join(folder, 'captures')]
    await handspan(['import', log, ...captures])
    for (const command of [
      ['import', log, '--dir', '/proc/x'],
      ['demo', '--dir', '/proc/x/y'],
      ['serve', '--port', '0', '--dir', '/proc/x'],
      ['restore', log, '--dir', '/proc/x'],
      ['export', ...captures, '--parquet', '/proc/x'],
    ]) {
      const option = command.at(-2)!
      const { code, stderr } = await handspan(command)
      expect([command, code, stderr]).toEqual([
        command,
        2,
        `handspan: ${command.at(-1)} cannot be made: no such file or directory\nName another directory with ${option}.\n`,
      ])
    }
  })

  it('may have no folder where the database has to be', async () => {
    const folder = newFolder()
    const log = writeLog(folder, 'log.jsonl', lostKeyLog())
    mkdirSync(join(folder, 'handspan.duckdb'))
    const why = `${join(folder, 'handspan.duckdb')} is a directory, where the database has to be.`
    for (const command of [['runs'], ['tui'], ['import', log], ['demo'], ['restore', log]]) {
      const { code, stderr } = await handspan([...command, '--dir', folder])
      expect([command, code, stderr]).toEqual([
        command,
        2,
        `handspan: ${why}\nMove it away, or name another directory with --dir.\n`,
      ])
    }
    const { code, stdout } = await handspan(['doctor', '--dir', folder])
    expect([code, stdout]).toEqual([1, expect.stringContaining(`✗ store: ${why}\n  → Move it away`)])
    expect(readdirSync(folder).sort()).toEqual(['handspan.duckdb', 'log.jsonl'])
  })

  it('is made for its owner only, as an agent makes it', async () => {
    const folder = newFolder()
    const captures = join(folder, 'below', 'captures')
    await handspan(['import', writeLog(folder, 'log.jsonl', lostKeyLog()), '--dir', captures])
    expect(statSync(captures).mode & 0o777).toBe(0o700)
  })
})
