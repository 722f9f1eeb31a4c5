import type { Refused } from '../store/log-files.ts'
import { note } from './output.ts'

/** So many lines of a file are named on stderr: a file of another kind has thousands that cannot be read. */
const NAMED = 10

/** Says on stderr which line could not be read, and why. */
export function refusalNotes(): (refused: Refused) => void {
  const counts = new Map<string, number>()
  return ({ file, line, reason }) => {
    const count = (counts.get(file) ?? 0) + 1
    counts.set(file, count)
    if (count <= NAMED) note(`${file}:${line}: ${reason}`)
    else if (count === NAMED + 1) note(`${file}: more of its lines could not be read.`)
  }
}
