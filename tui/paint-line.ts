import type { Line } from './lines.ts'
import type { Theme } from './theme.ts'
import type { Tone } from './tone.ts'

/** A text in a tone, as a terminal is told. */
function paint(text: string, tone: Tone | undefined, theme: Theme): string {
  const code = tone === undefined ? '' : theme.tones[tone]
  return code === '' || text === '' ? text : `\u001b[${code}m${text}\u001b[0m`
}

/** OSC 8: terminals that know it open the address on a click, others show the text. */
function linked(text: string, link: string | undefined): string {
  return link === undefined ? text : `\u001b]8;;${link}\u001b\\${text}\u001b]8;;\u001b\\`
}

/** A line as a terminal is told. Spaces at its end are left out: the line was erased, and every character costs. */
export function paintLine(line: Line, theme: Theme): string {
  const text = line.map(({ text, tone, link }) => linked(paint(text, tone, theme), link)).join('')
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}
