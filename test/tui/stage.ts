import { writeFileSync } from 'node:fs'
import { PassThrough, Writable } from 'node:stream'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import type { RunEvent } from '../../model/run-log.ts'
import { type Analysis, analyseTogether } from '../../replay/analyse.ts'
import { openFileSource, sourceOf } from '../../tui/file-source.ts'
import { frame } from '../../tui/frame.ts'
import type { Input } from '../../tui/input.ts'
import { plainText } from '../../tui/lines.ts'
import { newSession } from '../../tui/new-session.ts'
import type { Outside } from '../../tui/outside.ts'
import { Painter } from '../../tui/painter.ts'
import type { Session } from '../../tui/session.ts'
import { showSource } from '../../tui/show-source.ts'
import type { Source } from '../../tui/source.ts'
import type { Streams } from '../../tui/terminal.ts'

export const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const

/** What a session asked of the world outside. */
export type Asked = {
  copied: string[]
  written: [path: string, text: string][]
  quits: unknown[]
  suspended: number
  redrawn: number
}

/** A session without a terminal: keys go in, its frame comes out as text. */
export type Stage = {
  session: Session
  asked: Asked
  /** Presses keys by name (`enter`, `tab`, `j`), one after the other. */
  press(...keys: string[]): Promise<void>
  /** Types a text into the line that is open. */
  type(text: string): Promise<void>
  text(): string
}

/** Opens a session on a source, in a size, as `handspan tui` does. */
export async function stage(
  source: Source,
  [width, height]: readonly [number, number] = [80, 24],
): Promise<Stage> {
  const asked: Asked = { copied: [], written: [], quits: [], suspended: 0, redrawn: 0 }
  const outside: Outside = {
    copy: (text) => asked.copied.push(text),
    suspend: () => asked.suspended++,
    redraw: () => asked.redrawn++,
    write: async (path, text, { force }) => {
      if (!force && asked.written.some(([other]) => other === path))
        throw Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' })
      asked.written.push([path, text])
    },
    quit: (error) => asked.quits.push(error),
  }
  const session = newSession(outside, source.name)
  onTestFinished(() => session.close())
  session.size = { width, height }
  const underWay = worksOf(session)
  await showSource(session, source)
  const quiet = async () => {
    await Promise.all(underWay)
    for (let turns = 0; turns < 5; turns++) await new Promise((done) => setTimeout(done, 10))
    if (underWay.size > 0) await quiet()
  }
  await quiet()
  const send = async (input: Input) => {
    session.input(input)
    frame(session)
    await quiet()
  }
  return {
    session,
    asked,
    press: async (...keys) => {
      for (const key of keys) await send({ key, text: [...key].length === 1 ? key : undefined })
    },
    type: (text) => send({ paste: text }),
    text: () => plainText(frame(session)),
  }
}

/** What a session is at: a key has done its work when none of it is left, however slow the machine is. */
function worksOf(session: Session): Set<Promise<void>> {
  const works = new Set<Promise<void>>()
  const during = session.during.bind(session)
  session.during = (...work) => {
    const doing = during(...work)
    works.add(doing)
    return doing.finally(() => works.delete(doing))
  }
  return works
}

/** A source of logs; findings of other checks than those named are left out, so that a new check changes no screen. */
export function sourceOfLogs(name: string, events: readonly RunEvent[], checks?: readonly string[]): Source {
  return sourceOf(
    name,
    analyseTogether(events).map((analysis) => withChecks(analysis, checks)),
    { paths: [name] },
  )
}

function withChecks(analysis: Analysis, checks: readonly string[] | undefined): Analysis {
  if (checks === undefined) return analysis
  return { ...analysis, findings: analysis.findings.filter(({ check }) => checks.includes(check)) }
}

/** A run-log file of events; its path. */
export function writeLog(file: string, events: readonly RunEvent[]): string {
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return file
}

export { openFileSource }

/** A terminal that keeps what it shows, and the streams of a program that runs in it. */
export function emulator(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const stdout = Object.assign(
    new Writable({
      // A real terminal turns a line feed into a new line; here nobody does.
      write: (chunk, _encoding, done) => terminal.write(String(chunk).replaceAll(/\r?\n/g, '\r\n'), done),
      decodeStrings: false,
    }),
    { columns, rows, isTTY: true },
  )
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  })
  return {
    terminal,
    streams: { stdin, stdout } as unknown as Streams,
    stdin,
    screen: () => screenText(terminal, rows),
    /** Waits until the terminal has taken in what was written. */
    settled: async () => {
      await new Promise((done) => setTimeout(done))
      await new Promise<void>((done) => terminal.write('', done))
    },
  }
}

/** What stands on the screen, line by line, without spaces at their ends. */
export function screenText(terminal: xterm.Terminal, rows: number): string {
  const { active } = terminal.buffer
  const lines = Array.from({ length: rows }, (_, row) =>
    (active.getLine(active.viewportY + row)?.translateToString(true) ?? '').trimEnd(),
  )
  return lines.join('\n')
}

/** Paints the frame of a session in an emulator, as the program does, and reads the screen. */
export async function painted(session: Session): Promise<string> {
  const { mount } = await import('../../tui/mount.tsx')
  const { width, height } = session.size
  const { streams, screen, settled } = emulator(width, height)
  const painter = new Painter((text) => streams.stdout.write(text))
  const mounted = mount(session, streams, (lines) => painter.paint(lines))
  await settled()
  const text = screen()
  mounted.unmount()
  return text
}
