import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINARY, complaints, handspan, newFolder, SHELL, writeLog } from './command.ts'

/** Runs the command where no file may grow beyond 256 KB: writing fails in the same way as on a full disk. */
function withoutRoom(args: readonly string[]) {
  const call = ['-c', 'ulimit -f 512; exec "$@"', 'sh', process.execPath, BINARY, ...args]
  const { status, stdout, stderr } = spawnSync('sh', call, { env: { ...SHELL, NO_COLOR: '1' } })
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString() }
}

describe('a command on a full disk', () => {
  it('whose answer is whole ends with 0, and says that the database waits for room; nothing is lost', async () => {
    const folder = newFolder()
    const dir = ['--dir', folder]
    const message = (run: string, seq: number, content: string) => ({
      run,
      seq,
      at: '2031-05-06T07:08:09Z',
      kind: 'message',
      content,
    })
    const text = () => Array.from({ length: 400 }, () => Math.random().toString(36)).join('')
    const large = Array.from({ length: 100 }, (_, seq) => message('large', seq, text()))
    await handspan(['import', writeLog(folder, 'large.jsonl', large), ...dir])
    const database = join(folder, 'handspan.duckdb')
    expect(statSync(database).size).toBeGreaterThan(512 * 1024)
    // What is new fits into the write-ahead log, but the file cannot take it.
    mkdirSync(join(folder, 'spool'))
    writeLog(join(folder, 'spool'), 'shop-1-1-1.jsonl', [message('late', 1, 'x')])
    for (const args of [['runs'], ['check', 'late']]) {
      const { code, stdout, stderr } = withoutRoom([...args, '--json', ...dir])
      expect(JSON.parse(stdout).runs).toContainEqual(expect.objectContaining({ run: 'late' }))
      expect(stderr).toContain(`The disk that holds ${database} is full`)
      expect(stderr).toContain('nothing is lost')
      expect(code).toBe(0)
    }
    // What fails for itself still fails.
    expect(withoutRoom(['sql', 'SELEC 1', ...dir]).code).toBe(2)
    const { stdout, stderr } = await handspan(['runs', '--json', ...dir])
    expect(JSON.parse(stdout).runs).toHaveLength(2)
    expect(complaints(stderr)).toBe('')
    expect(statSync(`${database}.wal`, { throwIfNoEntry: false })).toBe(undefined)
  })
})
