import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { putFile } from '../../cli/put-file.ts'
import { BINARY, handspan, newFolder, SHELL, writeLog } from './command.ts'
import { lostKeyLog } from './lost-key-log.ts'

describe('a file that is written', () => {
  it.each(['csv', 'parquet', 'baseline'])('takes the place of the old one whole: %s', async (format) => {
    const folder = newFolder()
    const dir = ['--dir', join(folder, 'captures')]
    const log = writeLog(folder, 'log.jsonl', lostKeyLog())
    await handspan(['import', log, ...dir])
    const out = join(folder, 'out')
    mkdirSync(out)
    const kept = join(out, 'kept')
    // A baseline is read before it is written.
    const old = '{"handspan":{"baseline":1},"findings":[]}'
    writeFileSync(kept, old)
    chmodSync(kept, 0o640)
    symlinkSync('kept', join(out, 'link'))
    // Whoever has the old one open goes on seeing all of it.
    const open = openSync(kept, 'r')
    const to =
      format === 'baseline'
        ? ['check', log, '--update-baseline', '--baseline', join(out, 'link')]
        : ['query', 'handoffs', '--format', format, '--output', join(out, 'link'), ...dir]
    expect((await handspan(to)).code).toBe(0)
    expect(readFileSync(open, 'utf8')).toBe(old)
    closeSync(open)
    expect(readFileSync(kept, 'utf8')).not.toBe(old)
    expect(statSync(kept).mode & 0o777).toBe(0o640)
    expect(readdirSync(out).sort()).toEqual(['kept', 'link'])
  })

  it('is not there, and nothing else, when writing fails or is interrupted; the old one is', async () => {
    const folder = newFolder()
    const path = join(folder, 'kept')
    writeFileSync(path, 'old')
    const half = (place: string) => {
      writeFileSync(place, 'half')
      throw new Error('no space left')
    }
    await expect(putFile(path, half)).rejects.toThrow('no space left')
    await expect(putFile(join(folder, 'new'), half)).rejects.toThrow('no space left')
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['kept'], 'old'])
    const listeners = process.listeners('exit')
    const interrupted = putFile(path, (place) => {
      writeFileSync(place, 'half')
      // What the end of the process would call.
      for (const end of process.listeners('exit')) if (!listeners.includes(end)) end.call(process, 130)
      expect(readdirSync(folder)).toEqual(['kept'])
      throw new Error('gone')
    })
    await expect(interrupted).rejects.toThrow('gone')
    expect(process.listeners('exit')).toEqual(listeners)
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['kept'], 'old'])
  })

  it('is not there where its folder takes no file, in words that do not name the place it would have got', async () => {
    // To this process, which may be root, the system refuses no folder but its own.
    await expect(putFile('/proc/self/kept', () => {})).rejects.toThrow(
      /^\/proc\/self\/kept cannot be written: [^/]+$/,
    )
  })

  it('may be a pipe, a device, or what a shell has opened', async () => {
    const folder = newFolder()
    const dir = join(folder, 'captures')
    await handspan(['import', writeLog(folder, 'log.jsonl', lostKeyLog()), '--dir', dir])
    const csv = `"${process.execPath}" "${BINARY}" query handoffs --format csv --dir "${dir}"`
    const shell = (line: string) =>
      execFileSync('bash', ['-c', line], { cwd: folder, env: SHELL, encoding: 'utf8' })
    const wanted = shell(csv)
    expect(wanted).toContain('slice,value')
    expect(shell(`${csv} --output /dev/stdout | cat`)).toBe(wanted)
    expect(shell(`mkfifo pipe; ${csv} --output pipe & cat pipe; test -p pipe`)).toBe(wanted)
    shell(`(${csv} --output /dev/stdout; wc -c < opened > size) > opened`)
    expect(readFileSync(join(folder, 'size'), 'utf8').trim()).toBe(String(wanted.length))
    const full = await handspan(['query', 'handoffs', '--output', '/dev/full', '--dir', dir])
    expect([full.code, full.stderr]).toEqual([
      2,
      expect.stringContaining('The disk that holds /dev/full is full'),
    ])
  })
})
