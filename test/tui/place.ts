import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const places: string[] = []

/** A folder of its own; removed when the file's tests are over. */
export function newPlace(): string {
  const place = mkdtempSync(join(tmpdir(), 'handspan-tui-'))
  places.push(place)
  return place
}

afterAll(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true })
})
