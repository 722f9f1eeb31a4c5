import { escapeText } from '../model/escape.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
pre { font: 13px/1.4 ui-monospace, monospace; overflow-x: auto; padding: .75rem; border: 1px solid #8886 }
article { border-left: .3rem solid #888; padding: .1rem 1rem; margin: 1rem 0 }
article.error { border-color: #c33 } article.warning { border-color: #b80 }
h3 { margin-bottom: .2rem } .faint { opacity: .7 } code { overflow-wrap: anywhere }
.error { color: light-dark(#b00020, #ff8a80) } .warning { color: light-dark(#8a5300, #ffb74d) }
.good { color: light-dark(#1b6e2d, #81c784) } .strong, .title { font-weight: bold }
summary { cursor: pointer; margin: .5rem 0 }`

/** Everything before the body of a page that loads nothing and executes nothing. */
export function htmlHead(title: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>`
}

export const HTML_END = '</body></html>'

/** Captured text as text of a page: no markup, and nothing invisible. */
export function escapeHtml(text: string): string {
  return escapeText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
