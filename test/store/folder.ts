import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore, type Store } from '../../store/index.ts'

/** A new folder, gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'handspan-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A store in a folder, closed after the test. */
export async function opened(folder: string): Promise<Store> {
  const store = await openStore(folder, { create: true })
  onTestFinished(() => store.close())
  return store
}

/** A line of a run log, with its line feed. */
export function line(event: Record<string, unknown>): string {
  return `${JSON.stringify({ at: '2031-05-06T07:08:09Z', kind: 'message', ...event })}\n`
}
