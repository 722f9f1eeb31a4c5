import type { Judged } from '../report/accepted.ts'
import type { Act } from './act.ts'
import type { Line } from './lines.ts'

export type ScreenName =
  | 'runs'
  | 'replay'
  | 'diff'
  | 'viewer'
  | 'findings'
  | 'metrics'
  | 'table'
  | 'lab'
  | 'what-if'
  | 'pick'
  | 'compare'
  | 'text'

/** Cells that a screen may use. */
export type Size = { width: number; height: number }

/** What `:write` puts into a file: Markdown and HTML from the lines; `json` makes the document of the command that is its twin. */
export type Exported = { title: string; lines(width: number): readonly Line[]; json(): string }

/** One screen: it holds its own state, changes it on acts, and says how it looks in a size. */
export interface Screen {
  readonly name: ScreenName
  /** What it shows, for the header. */
  title(): Line
  /** Exactly `height` lines of `width` cells. Called for every frame: cost follows what is visible. */
  lines(size: Size): Line[]
  act(act: Act): void
  /** Why an act cannot be done here and now; undefined if it can. */
  disabled?(act: Act): string | undefined
  /** Goes to the next or previous place that holds the text; false if there is none. */
  search?(text: string, direction: 1 | -1, fresh: boolean): boolean | Promise<boolean>
  /** What `y` copies, and how that is called. */
  copied?(): { text: string; what: string } | undefined
  exported?(): Exported
  /** A filter as typed; undefined if the screen has none. */
  filter?: { text: string; set(text: string): string | undefined }
  /** The source holds something new: what was read before may be stale. */
  reload?(): Promise<void>
  /** The run that is looked at was read anew; a screen that shows it goes on with what is there now. */
  adopt?(analysis: Judged): void
  /** Ends timers. */
  close?(): void
}
