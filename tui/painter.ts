/*
 * Writes frames to a terminal. ink 6 composes every frame anew character by character, and rewrites the whole screen for
 * one changed line: a key then costs most of a tenth of a second and 20 KB in a large window. Here a line that stands
 * there already costs a comparison.
 */

/** Terminals that know it show everything between as one; others ignore it. */
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'

export class Painter {
  readonly #write: (text: string) => void
  #shown: readonly string[] = []

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Shows painted lines from the top of the screen on; only those that differ from what it showed last are written. */
  paint(lines: readonly string[]): void {
    let text = ''
    for (let row = 0; row < Math.max(lines.length, this.#shown.length); row++) {
      if (lines[row] === this.#shown[row]) continue
      // Erased before it is written: after a full line the cursor still stands on its last cell, which would be erased.
      text += `\u001b[${row + 1};1H\u001b[2K${lines[row] ?? ''}`
    }
    this.#shown = lines
    if (text !== '') this.#write(`${BEGIN}${text}${END}`)
  }

  /** What stood on the screen is gone: the next frame is written whole. */
  forget(): void {
    this.#shown = []
  }
}
