/** Where a text stands in a JSON value: the path (`items[3].content[0].text`) and the text around it. */
export type Place = { path: string; excerpt: string }

const AROUND = 60

/**
 * The forms in which a text may stand in a line of JSON: as it is; with everything but ASCII escaped, as many writers do;
 * and both once more inside a JSON text that is itself a string (the arguments of a call).
 */
export function formsOf(text: string, ignoreCase: boolean): string[] {
  const once = written(text, ignoreCase)
  const forms = [...once, ...once.map(escaped).flatMap((form) => [form, ...ascii(form)])]
  return [...new Set(forms.map((form) => fold(form, ignoreCase)))]
}

/** The forms of a text within one JSON string. Escaped letters have a case of their own, so both are looked for. */
function written(text: string, ignoreCase: boolean): string[] {
  const texts = ignoreCase ? [text, text.toLowerCase(), text.toUpperCase()] : [text]
  return texts.map(escaped).flatMap((form) => [form, ...ascii(form)])
}

/** Every text in a value that holds the wanted one, a place each. Names of fields are not searched. */
export function findInValue(value: unknown, wanted: string, ignoreCase: boolean): Place[] {
  const places: Place[] = []
  // A string may be JSON itself, with the text written into it.
  const needles = [wanted, ...written(wanted, ignoreCase)].map((text) => fold(text, ignoreCase))
  // A stack of its own: captured JSON may be nested deeper than calls may be.
  const stack: { path: string; value: unknown }[] = [{ path: '', value }]
  while (stack.length > 0) {
    const { path, value: found } = stack.pop()!
    if (typeof found === 'string' || typeof found === 'number') {
      const text = String(found)
      const at = firstOf(fold(text, ignoreCase), needles)
      if (at !== undefined) places.push({ path, excerpt: excerptOf(text, at, wanted.length) })
    } else if (Array.isArray(found)) {
      for (let index = found.length - 1; index >= 0; index--) {
        stack.push({ path: `${path}[${index}]`, value: found[index] })
      }
    } else if (typeof found === 'object' && found !== null) {
      for (const [name, child] of Object.entries(found).reverse()) {
        stack.push({ path: path === '' ? name : `${path}.${name}`, value: child })
      }
    }
  }
  return places
}

function firstOf(text: string, needles: readonly string[]): number | undefined {
  for (const needle of needles) {
    const at = text.indexOf(needle)
    if (at >= 0) return at
  }
  return undefined
}

function excerptOf(text: string, at: number, length: number): string {
  const start = Math.max(0, at - AROUND)
  const end = Math.min(text.length, at + length + AROUND)
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

function fold(text: string, ignoreCase: boolean): string {
  return ignoreCase ? text.toLowerCase() : text
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** With small hexadecimal digits and with large ones: writers differ. */
function ascii(text: string): string[] {
  const digits = (letter: string) => letter.charCodeAt(0).toString(16).padStart(4, '0')
  const outside = /[^ -~]/g
  return [
    text.replace(outside, (letter) => `\\u${digits(letter)}`),
    text.replace(outside, (letter) => `\\u${digits(letter).toUpperCase()}`),
  ]
}
