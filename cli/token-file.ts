import { readFileSync } from 'node:fs'
import { cannotRead } from './cannot-read.ts'

/** The token that a file holds. Throws UsageError. */
export function readTokenFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw cannotRead(file, error)
  }
}
