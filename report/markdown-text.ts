import { escapeText } from '../model/escape.ts'

/**
 * Captured text as plain Markdown text: no markup, no HTML, no link or image that would be loaded, nobody notified. The
 * comments after `@` and `#` are invisible and keep GitHub from making a mention or a reference of them.
 */
export function escapeMarkdown(text: string): string {
  return escapeText(text)
    .replace(/[\\`*_[\]|~$!]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('://', '\\://')
    .replace(/\bwww\./gi, (word) => `${word.slice(0, -1)}\\.`)
    .replace(/[@#]/g, '$&<!-- -->')
}

/** Text as it is, in a block that nothing in it can end. */
export function fencedText(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}
