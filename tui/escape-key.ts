import { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { ReadStream } from 'node:tty'

/*
 * A terminal sends for the Escape key the character that the sequences of other keys begin with. ink 6 takes it and whatever
 * follows in the same chunk for one key with Alt, and gives up a sequence whose rest does not come at once. No key is bound
 * with Alt here, so an Escape that begins no sequence is the key, and what follows is the next one.
 *
 * Escape, `[` and a letter in one chunk are a sequence, and nobody can tell them from keys: the bytes are the same. Programs of
 * the terminal (vim, tmux, readline, what reads with crossterm) decide by time alone, and so do we: a terminal writes a sequence
 * at once, and fingers need longer between two keys than WAIT_MS. Only a line that held keys back delivers them so.
 */

const ESCAPE = '\u001b'

/** The Escape key as the kitty protocol writes it: ink reads it, and it begins nothing else. */
const ESCAPE_KEY = '\u001b[27u'

// CSI: parameters and a final byte, or the `$` of rxvt (`[7$`); the function keys of the Linux console (`[[A`) and old pages of
// PuTTY (`[[5~`). SS3: one final byte.
const ESCAPES = new RegExp(
  `(${ESCAPE}(?:\\[(?:\\[(?:[A-E]|\\d+~)|[0-?]*[@-Z\\\\-~$])|O[@-~]))|${ESCAPE}`,
  'gu',
)
const BEGINNING = new RegExp(`${ESCAPE}(?:\\[(?:\\[\\d*|[0-?]*)|O)?$`, 'u')

/** Fingers need longer from Escape to the next key, the parts of a sequence mostly less; nobody sees a key come this late. */
const WAIT_MS = 25

/** Tells the Escape key from the beginnings of sequences, in text as it comes. */
export class EscapeReader {
  #held = ''

  /** The text, each Escape key in it as `ESC [ 27 u`. A sequence that is not whole at its end is held back. */
  read(chunk: string): string {
    const text = this.#held + chunk
    this.#held = BEGINNING.exec(text)?.[0] ?? ''
    return apart(text.slice(0, text.length - this.#held.length))
  }

  /** True if what is held back may be keys. With a parameter in it, it is a sequence: nobody types that within a chunk. */
  get mayBeKeys(): boolean {
    return this.#held !== '' && !/\d/u.test(this.#held)
  }

  /** What was held back, as keys. */
  release(): string {
    const held = this.#held
    this.#held = ''
    return apart(held)
  }
}

function apart(text: string): string {
  return text.replace(ESCAPES, (_, sequence?: string) => sequence ?? ESCAPE_KEY)
}

/** What is typed, as ink can read it. `release` gives the terminal back. */
export function withEscapeKey(stdin: ReadStream): { stdin: ReadStream; release(): void } {
  const reader = new EscapeReader()
  const decoder = new StringDecoder('utf8')
  let waiting: NodeJS.Timeout | undefined
  let lastCall: NodeJS.Immediate | undefined
  const stopWaiting = () => {
    clearTimeout(waiting)
    clearImmediate(lastCall)
  }
  // After a long paint the time is over before what came meanwhile was read, which happens before the immediate.
  const giveUp = () => {
    lastCall = setImmediate(() => keys.push(reader.release()))
  }
  const keys = new Transform({
    transform(chunk: Buffer, _, done) {
      stopWaiting()
      done(null, reader.read(decoder.write(chunk)))
      if (reader.mayBeKeys) waiting = setTimeout(giveUp, WAIT_MS)
    },
    flush(done) {
      stopWaiting()
      done(null, reader.release())
    },
  })
  stdin.pipe(keys)
  const terminal = {
    isTTY: stdin.isTTY,
    setRawMode: (mode: boolean) => stdin.setRawMode(mode),
    ref: () => stdin.ref(),
    unref: () => stdin.unref(),
  }
  return {
    stdin: Object.assign(keys, terminal) as unknown as ReadStream,
    release() {
      stopWaiting()
      stdin.unpipe(keys)
      stdin.pause()
    },
  }
}
