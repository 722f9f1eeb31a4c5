/*
 * Captured text is hostile: it may hold escape sequences that move the cursor, set the clipboard or hide text. Nothing
 * captured reaches a terminal except through here.
 */

// C0 and C1 controls, bidi embeddings, overrides and isolates, zero-width and invisible format characters, lone
// surrogates, line and paragraph separators, tag characters.
const HOSTILE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

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
