import type { Act } from './act.ts'
import type { Completion, PromptKind } from './prompt.ts'

/** Where a session leads: made apart from it, since screens know the session and these know the screens. */
export type Routes = {
  /** Runs a line of the command line. */
  command(line: string): void
  /** Opens the screen that an act names; false if it names none. */
  navigate(act: Act): boolean
  /** What Tab completes in a line of a kind; undefined if nothing. */
  completer(kind: PromptKind): ((before: string, whole: string) => Completion) | undefined
  /** Reads a run and opens its replay. */
  openRun(name: string): void
}
