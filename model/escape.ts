/*
 * Captured text is hostile: it may hold escape sequences that move the cursor, set the clipboard or hide text. Nothing
 * captured reaches a terminal except through here.
 */

// Controls, format characters (bidi overrides and isolates, zero-width joiners, tags), lone surrogates, line and paragraph
// separators, everything Unicode tells a renderer to leave out (fillers, variation selectors), and noncharacters. An
// emoji keeps the selector that makes it one: it hides nothing, and model output is full of it.
const HOSTILE =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' }

/** One line of safe text: every control, bidi or invisible character is shown as an escape. */
export function escapeText(text: string): string {
  return text.replace(HOSTILE, (char) => NAMED[char] ?? `\\u{${char.codePointAt(0)!.toString(16)}}`)
}

/** The same, but line feeds stay line feeds and tabs become two spaces: for text shown over several lines. */
export function escapeLines(text: string): string {
  return text
    .split(/\r\n|\n/)
    .map((line) => escapeText(line.replaceAll('\t', '  ')))
    .join('\n')
}
