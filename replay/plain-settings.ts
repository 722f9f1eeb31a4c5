import { hashJson } from '../model/hash.ts'
import type { Settings } from './settings.ts'

/** Settings as JSON holds them: a pattern as its source and flags. */
export type PlainSettings = Omit<Settings, 'detectors'> & {
  detectors?: { name: string; source: string; flags: string }[] | undefined
}

/** Settings in the form in which they go to another process. */
export function plainSettings({ detectors, ...rest }: Settings): PlainSettings {
  if (detectors === undefined) return rest
  return {
    ...rest,
    detectors: detectors.map(({ name, pattern: { source, flags } }) => ({ name, source, flags })),
  }
}

/** The settings that `plainSettings` wrote. */
export function settingsOf({ detectors, ...rest }: PlainSettings): Settings {
  if (detectors === undefined) return rest
  return {
    ...rest,
    detectors: detectors.map(({ name, source, flags }) => ({ name, pattern: new RegExp(source, flags) })),
  }
}

const SHOWN = 16

/**
 * A short hash by which settings are told apart: 16 hexadecimal digits of the sha256 of their canonical JSON. What is left
 * out and what is empty is the same.
 */
export function settingsHash(settings: PlainSettings): string {
  const said = Object.entries(settings).filter(
    ([, value]) => value !== undefined && Object.keys(value).length > 0,
  )
  return hashJson(Object.fromEntries(said)).replace('sha256:', '').slice(0, SHOWN)
}
