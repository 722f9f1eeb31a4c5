import { note } from './output.ts'
import { pastedIn } from './render/pasted.ts'
import { DEFAULT_DIRECTORY } from './shared-options.ts'

/** What went wrong, and what to do. */
export type Complaint = { message: string; remedy: string }

let commands: readonly string[] = []
let directory = DEFAULT_DIRECTORY

/** To be called before anything is complained of: remedies name these commands, for the captures of this directory. */
export function remediesName(names: readonly string[], dir: string): void {
  commands = names
  directory = dir
}

/** Says on stderr what went wrong and what to do. */
export function complain({ message, remedy }: Complaint): void {
  note(`handspan: ${message}`)
  if (remedy !== '') note(pastedIn(remedy, commands, directory))
}
