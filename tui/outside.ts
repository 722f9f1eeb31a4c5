/** What the session asks of the terminal and the file system. */
export type Outside = {
  /** Puts a text on the terminal's clipboard. */
  copy(text: string): void
  suspend(): void
  /** Clears the screen, so that the next frame is written whole. */
  redraw(): void
  /** Writes a file; without `force` it rejects with EEXIST if there is one. */
  write(path: string, text: string, options: { force: boolean }): Promise<void>
  quit(error?: unknown): void
}
