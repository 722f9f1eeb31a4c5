const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

/** True if a JSON text has more than so many objects and lists. The text need not be valid. */
export function holdsMoreContainers(text: Uint8Array, most: number): boolean {
  // A container takes two bytes at least.
  if (text.length / 2 <= most) return false
  let found = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]
    if (quoted) {
      if (byte === BACKSLASH) index++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if ((byte === BRACE || byte === BRACKET) && ++found > most) return true
  }
  return false
}
