/** The address of a trace in the team's own backend; undefined where there is none to give. */
export type TraceLink = (trace: { id?: unknown; span?: unknown }) => string | undefined

// Ids are captured text. What is none of these leads nowhere.
const ID = /^[\w.:-]{1,128}$/

/**
 * Links for HANDSPAN_TRACE_URL: `{trace}` and `{span}` stand for the ids; without `{trace}` the id is put at the end.
 * Throws if it is not the address of a web page.
 */
export function traceLinks(template: string | undefined): TraceLink {
  if (template === undefined || template === '') return () => undefined
  const url = template.includes('{trace}') ? template : `${template}{trace}`
  const example = URL.canParse(fill(url, 'a', 'b')) ? new URL(fill(url, 'a', 'b')) : undefined
  if (example === undefined || !['http:', 'https:'].includes(example.protocol))
    throw Object.assign(new Error('HANDSPAN_TRACE_URL is no http or https address'), {
      remedy: 'Write it as https://tempo.example/trace/{trace}, or unset it.',
    })
  return ({ id, span }) => {
    if (typeof id !== 'string' || !ID.test(id)) return undefined
    const spanId = typeof span === 'string' && ID.test(span) ? span : ''
    // As the standard writes it, so that nothing but printable ASCII is left.
    return new URL(fill(url, id, spanId)).href
  }
}

function fill(url: string, trace: string, span: string): string {
  return url
    .replaceAll('{trace}', () => encodeURIComponent(trace))
    .replaceAll('{span}', () => encodeURIComponent(span))
}
