import type { ReadStream, WriteStream } from 'node:tty'
import { Painter } from './painter.ts'

/*
 * The only module that knows what ink 6 lacks: the alternate screen, the size of the window, suspending, painting only what
 * changed, and putting the terminal back as it was on every way out. A move to a later ink ends here.
 */

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J\u001b[H'
// The cursor is shown and the styles are reset whatever was going on.
const LEAVE = '\u001b[0m\u001b[?1049l\u001b[?25h'
const CLEAR = '\u001b[2J\u001b[H'
/** Ends a frame that was being written as one; harmless if none was. */
const END_SYNCHRONIZED = '\u001b[?2026l'

/** A process that nobody can continue is not stopped by the system. After this long it is clear that it was not. */
const STOPPED_BY_MS = 100

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export type Streams = { stdin: ReadStream; stdout: WriteStream }

export type TerminalSize = { width: number; height: number }

/** A terminal that was taken over. */
export interface Terminal {
  size(): TerminalSize
  /** Shows a frame of painted lines. */
  paint(lines: readonly string[]): void
  /** Clears the screen; the next frame is written whole. */
  redraw(): void
  onResize(listener: () => void): void
  /** Puts a text on the clipboard of the terminal (OSC 52). */
  copy(text: string): void
  /** Gives the terminal to the shell until the process is continued. */
  suspend(): void
  /** Called when the terminal was taken back. `stopped` is false if there was no shell to give it to. */
  onResume(listener: (stopped: boolean) => void): void
  /** Puts everything back. May be called more than once. */
  leave(): void
}

/** True if a person sits at a terminal that can be drawn on. */
export function canDraw({ stdin, stdout }: Streams, env: Record<string, string | undefined>): boolean {
  // In CI ink draws nothing until the end, even on a terminal.
  const ci = env.CI !== undefined && env.CI !== '' && env.CI !== '0' && env.CI !== 'false'
  return stdin.isTTY === true && stdout.isTTY === true && env.TERM !== 'dumb' && !ci
}

/**
 * Takes the terminal over: alternate screen, and every way out watched. `ended` is called for a signal or an error that
 * nobody caught, with the exit code; it must end the program.
 */
export function takeTerminal(streams: Streams, ended: (code: number, error?: unknown) => void): Terminal {
  const { stdin, stdout } = streams
  let taken = true
  let suspended = false
  const resizeListeners = new Set<() => void>()
  const resumeListeners = new Set<(stopped: boolean) => void>()
  const painter = new Painter((text) => stdout.write(text))
  const stderr = holdBack(process.stderr)

  const redraw = () => {
    if (taken && !suspended) stdout.write(CLEAR)
    painter.forget()
  }
  const onResize = () => {
    // What stood there was laid out for another size, and terminals differ in what they make of it.
    redraw()
    for (const listener of resizeListeners) listener()
  }
  const leave = () => {
    if (!taken) return
    taken = false
    stdout.write(END_SYNCHRONIZED + LEAVE)
    if (stdin.isTTY && stdin.isRaw) stdin.setRawMode(false)
    stderr.release()
    process.off('SIGWINCH', onResize)
    process.off('SIGTSTP', suspend)
    process.off('SIGCONT', continued)
    process.off('exit', leave)
    for (const [signal, listener] of signals) process.off(signal, listener)
    process.off('uncaughtException', failed)
    process.off('unhandledRejection', failed)
  }
  const suspend = () => {
    suspended = true
    stdout.write(END_SYNCHRONIZED + LEAVE)
    if (stdin.isTTY) stdin.setRawMode(false)
    // Without a listener of ours the signal stops the process, as the shell expects it.
    process.off('SIGTSTP', suspend)
    process.kill(process.pid, 'SIGTSTP')
    // As the first process of a terminal it goes on running. Whoever was stopped hears SIGCONT before the immediate.
    setTimeout(() => setImmediate(() => resume(false)), STOPPED_BY_MS)
  }
  const resume = (stopped: boolean) => {
    if (!taken || !suspended) return
    suspended = false
    process.on('SIGTSTP', suspend)
    if (stdin.isTTY) {
      // Twice: what the mode was meanwhile is not known here, and setting what is set already does nothing.
      stdin.setRawMode(false)
      stdin.setRawMode(true)
    }
    stdout.write(ENTER)
    painter.forget()
    for (const listener of resumeListeners) listener(stopped)
  }
  // Also after SIGSTOP, which nobody hears: the shell has written on the screen and set the terminal to its own mode.
  const continued = () => {
    if (!suspended) process.off('SIGTSTP', suspend)
    suspended = true
    resume(true)
  }
  const signals = Object.entries(SIGNALS).map(
    ([signal, code]) => [signal as NodeJS.Signals, () => ended(code)] as const,
  )
  const failed = (error: unknown) => ended(2, error)

  stdout.write(ENTER)
  // At once, so that nothing typed meanwhile is echoed; it waits for ink.
  if (stdin.isTTY) stdin.setRawMode(true)
  // Not the event `resize`: it is silent when a window comes back to its size, and what stood there is gone all the same.
  process.on('SIGWINCH', onResize)
  // Stopped by somebody else, it leaves the terminal as it does for ^Z.
  process.on('SIGTSTP', suspend)
  process.on('SIGCONT', continued)
  process.on('exit', leave)
  for (const [signal, listener] of signals) process.on(signal, listener)
  process.on('uncaughtException', failed)
  process.on('unhandledRejection', failed)

  return {
    size: () => ({ width: stdout.columns || 80, height: stdout.rows || 24 }),
    paint: (lines) => {
      if (taken && !suspended) painter.paint(lines)
    },
    redraw,
    onResize: (listener) => resizeListeners.add(listener),
    copy: (text) => stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
    suspend,
    onResume: (listener) => resumeListeners.add(listener),
    leave,
  }
}

/** Keeps what is written to a stream, such as a warning of Node, from tearing the screen; `release` writes it. */
function holdBack(stream: NodeJS.WriteStream): { release(): void } {
  const { write } = stream
  const held: (string | Uint8Array)[] = []
  stream.write = (chunk: string | Uint8Array) => {
    held.push(chunk)
    return true
  }
  return {
    release() {
      stream.write = write
      for (const chunk of held.splice(0)) stream.write(chunk)
    },
  }
}
