import type { Key } from 'ink'

/*
 * What ink 6 hands over is a chunk: one key with flags, or several characters that came in one write. Here it becomes keys.
 */

/** A key read from a chunk of input, or text that was pasted. */
export type Input = { key: string; text?: string | undefined } | { paste: string }

// More characters at once than fingers type, fewer than the shortest thing worth pasting.
const LONGEST_BURST = 16

const CONTROLS: Record<string, string> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001b': 'esc',
  '\u007f': 'backspace',
  '\b': 'backspace',
  ' ': 'space',
}

/** The keys of a chunk in their order; a long run of characters is a paste. */
export function readInput(input: string, key: Key): Input[] {
  const named = nameOf(key)
  if (named !== undefined) return [{ key: named }]
  if (key.ctrl && /^[a-z]$/u.test(input)) return [{ key: `ctrl+${input}` }]
  // Sequences that ink does not know (mouse, bracketed paste marks) arrive without their ESC. A lone [ is a key.
  const text = input.replace(/\[(?:<?[\d;]+[~A-Za-z])/gu, '')
  const chars = [...text]
  if (chars.length > LONGEST_BURST) return [{ paste: text }]
  return chars.flatMap(readChar)
}

function readChar(char: string): Input[] {
  const named = CONTROLS[char]
  if (named !== undefined) return [{ key: named, text: char === ' ' ? ' ' : undefined }]
  const code = char.codePointAt(0)!
  if (code < 27) return [{ key: `ctrl+${String.fromCharCode(code + 96)}` }]
  if (code < 32 || code === 0xfffd) return []
  return [{ key: char, text: char }]
}

function nameOf(key: Key): string | undefined {
  // ink 6 sets meta together with escape.
  if (key.escape) return 'esc'
  if (key.return) return 'enter'
  if (key.tab) return key.shift ? 'shift+tab' : 'tab'
  if (key.upArrow) return 'up'
  if (key.downArrow) return 'down'
  if (key.leftArrow) return 'left'
  if (key.rightArrow) return 'right'
  if (key.pageUp) return 'pageup'
  if (key.pageDown) return 'pagedown'
  if (key.home) return 'home'
  if (key.end) return 'end'
  // Terminals send DEL for the backspace key, and ink calls that delete.
  if (key.backspace || key.delete) return 'backspace'
  return undefined
}
