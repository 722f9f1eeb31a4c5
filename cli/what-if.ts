import { findTokenCounter } from '../model/tokens.ts'
import type { Analysis } from '../replay/analyse.ts'
import type { Handoff } from '../replay/run.ts'
import { type FilterInput, filterInput, readOutput } from '../replay/what-if/filter.ts'
import { STYLES, type StyleName } from '../replay/what-if/styles.ts'
import { whatIf } from '../replay/what-if/what-if.ts'
import { today } from '../report/accepted.ts'
import type { TriedHandoff } from '../report/trial-json.ts'
import type { Unread } from '../store/readable-files.ts'
import { lookAtEach } from './analyses.ts'
import type { Config } from './config/load.ts'
import { countOnce } from './count-once.ts'
import { type Filtered, FilterProcess } from './filter-process.ts'
import { refusalNotes } from './refusal-notes.ts'

/** What is tried: a module of the user, or a built-in style. */
export type Tried = { filter: string } | { style: StyleName }

/** `handoff` leaves out all others; what cannot be read goes to `pass`; `onProgress` hears of each handoff before it is tried. */
export type TrialWay = {
  handoff?: string | undefined
  pass: (unread: Unread) => void
  onProgress: (done: number, total: number, run: string) => void
}

/** Tries a filter over the handoffs of runs, one run after the other. */
export async function* tryFilter(
  names: readonly string[],
  directory: string,
  { settings, suppressions }: Pick<Config, 'settings' | 'suppressions'>,
  tried: Tried,
  { handoff, pass, onProgress }: TrialWay,
): AsyncGenerator<TriedHandoff> {
  const own = 'filter' in tried ? await FilterProcess.open(tried.filter) : undefined
  const apply = async (input: FilterInput): Promise<Filtered> =>
    own === undefined
      ? { output: STYLES[(tried as { style: StyleName }).style](input), mutated: false }
      : own.run(input)
  const accepted = { suppressions, today: today() }
  const tokens = countOnce(findTokenCounter())
  const options = { tokens, settings, accepted }
  const passed = { refuse: refusalNotes(), pass }
  try {
    for await (const { analysis } of lookAtEach(names, directory, settings, passed, tokens)) {
      const meant = analysis.run.handoffs.filter(({ id }) => handoff === undefined || id === handoff)
      for (const [index, one] of meant.entries()) {
        onProgress(index, meant.length, analysis.run.id)
        yield await tryOne(analysis, one, apply, options)
      }
      tokens.forget()
    }
  } finally {
    await own?.close()
  }
}

async function tryOne(
  analysis: Analysis,
  handoff: Handoff,
  apply: (input: FilterInput) => Promise<Filtered>,
  options: Parameters<typeof whatIf>[3],
): Promise<TriedHandoff> {
  const { id, attempt, from, to } = handoff
  const about = { run: analysis.run.id, handoff: id, attempt, from, to }
  const { input, ...none } = filterInput(analysis.run, handoff)
  if (input === undefined) return { ...about, ...none }
  const filtered = await apply(input)
  if ('failure' in filtered) return { ...about, reason: filtered.failure, failed: true }
  const { payload, ...bad } = readOutput(filtered.output, handoff.receipts[0]!.event.record)
  if (payload === undefined) return { ...about, ...bad, failed: true }
  return { ...about, trial: whatIf(analysis, handoff, payload, options), mutated: filtered.mutated }
}
