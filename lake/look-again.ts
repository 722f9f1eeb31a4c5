import { nameDamagedFile } from './damaged-file.ts'

// How often a reader looks again for files that a compaction took away while it read them.
const LOOKS = 5

/**
 * Acts, and acts anew when a file went away meanwhile: whoever compacts a lake puts the new file in place before the old
 * one goes, so the next look finds what it held. Throws `unreadable` for a file that is damaged.
 */
export async function lookAgain<T>(act: (look: number) => Promise<T>): Promise<T> {
  for (let look = 1; ; look++) {
    try {
      return await act(look)
    } catch (error) {
      if (look === LOOKS || !isVanished(error)) throw nameDamagedFile(error)
    }
  }
}

function isVanished(error: unknown): boolean {
  return (
    error instanceof Error &&
    /No files found|No such file|Cannot open file|could not open/i.test(error.message)
  )
}
