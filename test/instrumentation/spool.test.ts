import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Handspan, type StartOptions, start } from '../../instrumentation/index.ts'
import { capture, ofKind, readCaptures, temporaryDirectory } from './captures.ts'

let root: string
let handspan: Handspan | undefined

beforeEach(() => {
  root = temporaryDirectory()
})
afterEach(async () => {
  await handspan?.shutdown()
  handspan = undefined
  fs.rmSync(root, { recursive: true, force: true })
})

function begin(options: StartOptions = {}): Handspan {
  handspan = start({ directory: path.join(root, 'captures'), ...options })
  return handspan
}

function segments(directory = path.join(root, 'captures')): string[] {
  return fs.readdirSync(path.join(directory, 'spool'))
}

describe('the spool', () => {
  test('is private: directories 0700, files 0600, and nothing is made before the first event', () => {
    const captures = path.join(root, 'captures')
    const running = begin()
    expect(fs.existsSync(captures)).toBe(false)
    running.startRun()
    const mode = (file: string) => fs.statSync(file).mode & 0o777
    expect(mode(captures)).toBe(0o700)
    expect(mode(path.join(captures, 'spool'))).toBe(0o700)
    expect(mode(path.join(captures, 'spool', segments()[0]!))).toBe(0o600)
  })

  test('names the writer in the file and in every event, and counts from 1', () => {
    const run = begin().startRun()
    run.event('one')
    run.event('two')
    const events = readCaptures(path.join(root, 'captures'))
    const { writer } = events[0]!
    expect(segments()).toEqual([`${writer}-1.jsonl`])
    expect(writer).toMatch(new RegExp(`-${process.pid}(\\.\\d+)?-[0-9a-z]+$`))
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(events.every((event) => event.writer === writer && event.run === run.id && event.v === 1)).toBe(
      true,
    )
  })

  test('every event is on disk when the call returns, without shutdown', () => {
    const run = begin({ fsync: true }).startRun()
    for (let number = 0; number < 20; number++) {
      run.event('step', { number })
      expect(readCaptures(path.join(root, 'captures')).at(-1)).toMatchObject({ kind: 'step', number })
    }
  })

  test('begins a new segment when one is full, and no line is split between two', () => {
    const run = begin({ limits: { segmentBytes: 2_000 } }).startRun()
    for (let number = 0; number < 50; number++) run.event('step', { number, text: 'x'.repeat(150) })
    const files = segments()
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) {
      expect(fs.statSync(path.join(root, 'captures/spool', file)).size).toBeLessThanOrEqual(2_000)
    }
    const numbers = ofKind(readCaptures(path.join(root, 'captures')), 'step').map((event) => event.number)
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, number) => number))
  })

  test('begins a new segment when one is old', async () => {
    const run = begin({ limits: { segmentAge: 5 } }).startRun()
    await new Promise((done) => setTimeout(done, 20))
    run.event('later')
    expect(segments()).toHaveLength(2)
  })

  test('never grows beyond its bound; what does not fit is counted and leaves gaps in seq', () => {
    const totalBytes = 10_000
    const running = begin({ limits: { totalBytes } })
    const run = running.startRun()
    for (let number = 0; number < 100; number++) run.event('step', { number, text: 'x'.repeat(300) })
    const captures = path.join(root, 'captures')
    const size = segments().reduce(
      (sum, file) => sum + fs.statSync(path.join(captures, 'spool', file)).size,
      0,
    )
    expect(size).toBeLessThanOrEqual(totalBytes)
    expect(size).toBeGreaterThan(totalBytes - 1_000)
    const { written, dropped, bytes } = running.counters()
    expect(bytes).toBe(size)
    expect(written + dropped).toBe(101)
    expect(readCaptures(captures)).toHaveLength(written)
  })

  test('counts what other writers have left in it', async () => {
    const captures = path.join(root, 'captures')
    fs.mkdirSync(path.join(captures, 'spool'), { recursive: true })
    fs.writeFileSync(path.join(captures, 'spool', 'other-1-x-1.jsonl'), `${'{"run":"r"}\n'.repeat(500)}`)
    const running = begin({ limits: { totalBytes: 5_000 } })
    running.startRun()
    expect(running.counters()).toMatchObject({ written: 0, dropped: 1 })
  })

  test('a second start after shutdown does not append to the segments of the first', async () => {
    begin().startRun()
    await handspan!.shutdown()
    begin().startRun()
    expect(segments()).toHaveLength(2)
  })
})

describe('when the disk fails, the agent goes on and the loss is told', () => {
  test('a file stands where the directory should be; later it is gone', () => {
    const captures = path.join(root, 'captures')
    fs.writeFileSync(captures, 'in the way')
    const running = begin()
    const run = running.startRun()
    run.event('lost')
    expect(running.counters()).toMatchObject({ written: 0, dropped: 2 })
    fs.rmSync(captures)
    run.event('kept')
    const events = readCaptures(captures)
    expect(events.map(({ kind }) => kind)).toEqual(['kept', 'spool.loss'])
    expect(events[1]).toMatchObject({ run: run.id, lost: 2, reason: expect.stringMatching(/ENOTDIR|EEXIST/) })
    // The gap shows the loss as well: two events had taken their number.
    expect(events[0]!.seq).toBe(3)
  })

  test('each run is told its own loss', () => {
    const captures = path.join(root, 'captures')
    fs.writeFileSync(captures, 'in the way')
    const running = begin()
    const first = running.startRun()
    const second = running.startRun()
    second.event('lost')
    fs.rmSync(captures)
    first.event('kept')
    const losses = ofKind(readCaptures(captures), 'spool.loss')
    expect(losses.map(({ run, lost }) => [run, lost])).toEqual([
      [first.id, 1],
      [second.id, 2],
    ])
  })

  test('the directory is deleted under the writer: it is made again, nothing after that is lost', () => {
    const captures = path.join(root, 'captures')
    const running = begin()
    const run = running.startRun()
    fs.rmSync(captures, { recursive: true })
    run.event('after')
    expect(running.counters().dropped).toBe(0)
    expect(readCaptures(captures).map(({ kind }) => kind)).toEqual(['after'])
  })

  test('a full disk: nothing is written, everything is counted, results are unchanged', async () => {
    // /dev/full answers every write with a real ENOSPC. It is put in the place of the next segment.
    const captures = path.join(root, 'captures')
    const running = begin({ limits: { segmentAge: 1 } })
    const run = running.startRun()
    const original = fs.openSync
    try {
      fs.openSync = (() => original('/dev/full', 'a')) as typeof fs.openSync
      await new Promise((done) => setTimeout(done, 5))
      const book = run.tool(async (count: number) => count * 2, { name: 'book' })
      expect(await book(20)).toBe(40)
    } finally {
      fs.openSync = original
    }
    expect(running.counters()).toMatchObject({ written: 1, dropped: 2 })
    run.event('afterwards')
    expect(ofKind(readCaptures(captures), 'spool.loss')[0]).toMatchObject({
      lost: running.counters().dropped,
    })
  })

  test('after shutdown events are refused and counted, nothing throws', async () => {
    const running = begin()
    const run = running.startRun()
    await running.shutdown()
    await running.shutdown()
    run.event('late')
    expect(running.counters().dropped).toBe(1)
  })
})

test('an event too large for the reader of the store is kept as its shape', async () => {
  let counters: unknown
  const events = await capture((running) => {
    running.startRun().modelInput({
      items: Array.from({ length: 5 }, () => ({ role: 'user', content: 'x'.repeat(3_900_000) })),
    })
    counters = running.counters()
  })
  const [input] = ofKind(events, 'model.input')
  expect(counters).toMatchObject({ shaped: 1, dropped: 0 })
  expect(input).toMatchObject({ too_large: expect.any(Number), items: expect.any(Array) })
  expect((input!.items as { bytes: number }[])[0]!.bytes).toBe(
    3_900_000 + '{"role":"user","content":""}'.length,
  )
})

test('time never goes backwards within a writer, also when the wall clock does', async () => {
  const wall = Date.now
  const events = await capture((running) => {
    const run = running.startRun()
    try {
      for (const step of [0, -60_000, 5, -1, 3_600_000, 0]) {
        const now = wall() + step
        Date.now = () => now
        run.event('step')
        run.event('step')
      }
    } finally {
      Date.now = wall
    }
  })
  const times = events.map(({ at }) => at!)
  expect(new Set(times).size).toBe(times.length)
  expect([...times].sort()).toEqual(times)
  for (const at of times) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
})
