import { extname } from 'node:path'
import { escapeHtml, HTML_END, htmlHead } from '../report/html-page.ts'
import { escapeMarkdown, fencedText } from '../report/markdown-text.ts'
import { type Line, plainText } from './lines.ts'
import type { Exported } from './screen.ts'

const WIDTH = 120

const FORMS: Record<string, (exported: Exported) => string> = {
  '.md': ({ title, lines }) =>
    `# ${escapeMarkdown(oneLine(title))}\n\n${fencedText(plainText(lines(WIDTH)))}\n`,
  '.html': htmlPage,
  '.json': ({ json }) => `${json()}\n`,
  '.txt': ({ title, lines }) => `${plainText([[{ text: oneLine(title) }], [], ...lines(WIDTH)])}\n`,
}

export const ENDINGS = Object.keys(FORMS)

/** How a view is written into a file of this name; undefined for an ending that nobody knows. */
export function formOf(file: string): ((exported: Exported) => string) | undefined {
  const ending = extname(file).toLowerCase()
  return Object.hasOwn(FORMS, ending) ? FORMS[ending] : undefined
}

/** A name to begin with: letters, digits and dashes of the title. */
export function suggestedFile({ title }: Exported): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '')
  return `${words.slice(0, 60) || 'handspan'}.md`
}

function htmlPage({ title, lines }: Exported): string {
  return `${htmlHead(oneLine(title))}
<h1>${escapeHtml(oneLine(title))}</h1>
<p class="faint">Made from recorded data; nothing was called again.</p>
<pre>${lines(WIDTH).map(htmlLine).join('\n')}</pre>
${HTML_END}
`
}

/** Meanings become classes. A page is read on its own, so a selection is not shown. */
function htmlLine(spans: Line): string {
  return spans
    .map(({ text, tone }) =>
      tone === undefined || tone === 'selected' || text.trim() === ''
        ? escapeHtml(text)
        : `<span class="${tone}">${escapeHtml(text)}</span>`,
    )
    .join('')
    .trimEnd()
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ')
}
