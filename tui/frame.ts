import { bindingsOf, keyName } from './keys.ts'
import { cells, cut, fitLine, type Line, line, safe, textOfLine, wrap, wrapStatement } from './lines.ts'
import type { ScreenName } from './screen.ts'
import type { Notice, Session } from './session.ts'

export const SMALLEST = { width: 40, height: 10 }

const ALWAYS = new Set(['back', 'help', 'quit'])

const NOTHING_IS_CALLED = 'recorded data, nothing is called '

/**
 * The whole screen, one row less than the terminal: header, the screen on top, and below it the keys, or what is said and
 * typed. What is said takes the lines that it needs.
 */
export function frame(session: Session): Line[] {
  const { width, height } = session.size
  if (width < SMALLEST.width || height < SMALLEST.height) {
    const text = `needs ${SMALLEST.width}x${SMALLEST.height}, has ${width}x${height}`
    return [line(cut(text, width)), ...Array.from({ length: Math.max(0, height - 2) }, () => line(''))]
  }
  const rows = height - 1
  const below = bottom(session, width, Math.floor(rows / 3))
  return [
    header(session, width),
    ...session.screen.lines({ width, height: rows - 1 - below.length }),
    ...below.map((one) => fitLine(one, width)),
  ]
}

function header(session: Session, width: number): Line {
  const left: Line = [{ text: ' handspan  ', tone: 'title' }, ...session.screen.title()]
  const used = cells(safe(textOfLine(left)))
  const room = width - used - NOTHING_IS_CALLED.length
  if (room < 2) return fitLine(left, width)
  return fitLine([...left, { text: ' '.repeat(room) }, { text: NOTHING_IS_CALLED, tone: 'faint' }], width)
}

/** A complaint stays over what is typed, since it may be about that. */
function bottom(session: Session, width: number, most: number): Line[] {
  const { notice, prompt } = session
  const complaint = notice?.tone === 'error' || notice?.tone === 'warning'
  const lines =
    notice === undefined || (prompt !== undefined && !complaint)
      ? []
      : said(notice, width - 2, most).map((text): Line => [{ text: ` ${text}`, tone: notice.tone }])
  if (prompt !== undefined) return [...lines, prompt.line(width)]
  return lines.length > 0 ? lines : [keys(session, width)]
}

/** Errors have lines of their own, as those of SQL; anything else is one statement, whatever the ids in it hold. */
function said({ text, tone }: Notice, width: number, most: number): string[] {
  return tone === 'error' ? wrap(text, width, most) : wrapStatement(text, width, most)
}

function keys({ isOpen, screen }: Session, width: number): Line {
  return isOpen ? footer(screen.name, width) : hintLine([['q', 'quit']])
}

/** The keys of a screen that fit; those that lead back, to the help and out always do. */
export function footer(screen: ScreenName, width: number): Line {
  const hints = bindingsOf(screen).flatMap(({ keys, footer: word }) =>
    word === undefined ? [] : [[keyName(keys[0]!), word] as const],
  )
  const size = ([key, word]: readonly [string, string]) => cells(key) + cells(word) + 3
  const always = hints.filter(([, word]) => ALWAYS.has(word))
  let left = width - 1 - always.reduce((sum, hint) => sum + size(hint), 0)
  const shown = hints.filter((hint) => {
    if (always.includes(hint)) return true
    left -= size(hint)
    return left >= 0
  })
  return hintLine(shown)
}

function hintLine(hints: readonly (readonly [key: string, word: string])[]): Line {
  return [
    { text: ' ' },
    ...hints.flatMap(
      ([key, word]): Line => [
        { text: key, tone: 'key' },
        { text: ` ${word}  `, tone: 'faint' },
      ],
    ),
  ]
}
