import { isDeepStrictEqual } from 'node:util'
import { Handspan } from './handspan.ts'
import { report } from './otel.ts'
import { readSettings, type Settings, type StartOptions } from './settings.ts'

let started: { handspan: Handspan; settings: Settings } | undefined

/**
 * Starts capturing in this process. A second start gives the same object back; after `shutdown()` a new one. With
 * OTEL_SDK_DISABLED=true everything works and nothing is captured.
 */
export function start(options?: StartOptions): Handspan {
  const settings = readSettings(options, process.env, (message) => report('warn', message))
  if (started !== undefined) {
    if (options !== undefined && !isDeepStrictEqual(settings, started.settings)) {
      report('warn', 'start() was called again with other options: those of the first call stay')
    }
    return started.handspan
  }
  const handspan: Handspan = new Handspan(settings, () => {
    if (started?.handspan === handspan) started = undefined
  })
  started = { handspan, settings }
  return handspan
}
