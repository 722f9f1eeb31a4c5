import { isObject, textOf } from '../model/json.ts'
import type { RunEvent } from '../model/run-log.ts'
import { joinOrphans, linkedSpan, sentSpan } from '../replay/join-orphans.ts'
import { filesOf, type LogLine, linesOfFile, linesOfStdin, type Refused, readLogLine } from './log-files.ts'
import { NO_RUN_LOG } from './readable-files.ts'
import { nothingIn, type Unread } from './why-unread.ts'

/** Where the event of a run log stands. */
export type Place = { file: string; line: number }

/** Runs that are judged together: their events in the order of the files, and where each stands. */
export type RunGroup = { events: RunEvent[]; places: WeakMap<RunEvent, Place> }

type Source = { file: string; batches: () => AsyncIterable<readonly LogLine[]> }

/**
 * Reads run-log files a group at a time: one run, or the runs that repeat each other or are linked by their traces. A first pass finds the line at which
 * each group ends, so that of the events only those of unfinished groups are held. What is appended in between is left out.
 * Lines that are no event go to `refuse`, and a file with no other ones to `pass` as well.
 */
export async function* readRunGroups(
  paths: readonly string[],
  refuse: (refused: Refused) => void,
  pass: (unread: Unread) => void,
): AsyncGenerator<RunGroup> {
  const sources = await sourcesOf(paths)
  const plan = await planOf(sources)
  const open = new Map<string, RunGroup>()
  let ordinal = 0
  for (const [index, { file, batches }] of sources.entries()) {
    const end = plan.ends[index]!
    let good = 0
    let bad = 0
    reading: for await (const lines of batches()) {
      for (const line of lines) {
        if (ordinal === end) break reading
        const read = readLogLine(file, line)
        if (read.event === undefined) {
          bad++
          refuse(read.refused)
        } else {
          good++
          const name = plan.groupOf(read.event.run)
          const group = open.get(name) ?? { events: [], places: new WeakMap() }
          open.set(name, group)
          group.events.push(read.event)
          group.places.set(read.event, { file, line: line.number })
        }
        const finished = plan.last.get(ordinal++)
        const group = finished === undefined ? undefined : open.get(finished)
        if (group === undefined) continue
        open.delete(finished!)
        yield joined(group)
      }
    }
    ordinal = end
    if (bad > 0 && good === 0) pass(nothingIn(file, bad, 'an event', NO_RUN_LOG))
  }
  for (const group of open.values()) yield joined(group)
}

/** The group with its stray hops in the run that they belong to, each at the place where it stands. */
function joined({ events, places }: RunGroup): RunGroup {
  const all = joinOrphans(events)
  for (const [index, event] of all.entries()) {
    const place = places.get(events[index]!)
    if (place !== undefined) places.set(event, place)
  }
  return { events: [...all], places }
}

async function sourcesOf(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = []
  for (const path of paths) {
    if (path === '-') {
      const lines = await linesOfStdin()
      sources.push({
        file: 'stdin',
        batches: async function* () {
          yield lines
        },
      })
    } else for (const file of await filesOf(path)) sources.push({ file, batches: () => linesOfFile(file) })
  }
  return sources
}

type Plan = {
  /** Number of the line, over all sources, at which each source ends. */
  ends: number[]
  /** Number of the last line of each group, to the group. */
  last: Map<number, string>
  groupOf: (run: string) => string
}

async function planOf(sources: readonly Source[]): Promise<Plan> {
  const parents = new Map<string, string>()
  const lastOfRun = new Map<string, number>()
  const orphans = new Map<string, string[]>()
  const ends: number[] = []
  let ordinal = 0
  const unite = (one: string, other: string) => parents.set(rootOf(one, parents), rootOf(other, parents))
  for (const { batches } of sources) {
    for await (const lines of batches()) {
      for (const { text } of lines) {
        const event = eventIn(text)
        if (event !== undefined) {
          lastOfRun.set(event.run, ordinal)
          const repeats = event.kind === 'run.start' ? textOf(event.replay_of) : undefined
          if (repeats !== undefined) unite(event.run, repeats)
          const span = linkedSpan(event)
          if (span !== undefined) orphans.set(span, [...(orphans.get(span) ?? []), event.run])
        }
        ordinal++
      }
    }
    ends.push(ordinal)
  }
  if (orphans.size > 0)
    await findSenders(sources, (span, run) => {
      for (const orphan of orphans.get(span) ?? []) unite(orphan, run)
    })
  const lastOfGroup = new Map<string, number>()
  for (const [run, at] of lastOfRun) {
    const group = rootOf(run, parents)
    lastOfGroup.set(group, Math.max(at, lastOfGroup.get(group) ?? 0))
  }
  return {
    ends,
    last: new Map([...lastOfGroup].map(([group, at]) => [at, group])),
    groupOf: (run) => rootOf(run, parents),
  }
}

/** A pass of its own, where there are orphans at all: nothing needs to be held for the spans of all handoffs. */
async function findSenders(
  sources: readonly Source[],
  found: (span: string, run: string) => void,
): Promise<void> {
  for (const { batches } of sources) {
    for await (const lines of batches()) {
      for (const { text } of lines) {
        const event = eventIn(text)
        const span = event && sentSpan(event)
        if (span !== undefined) found(span, event!.run)
      }
    }
  }
}

/** What a line says, before it is known to be an event; undefined if it is about no run. */
function eventIn(text: string): RunEvent | undefined {
  try {
    const event: unknown = JSON.parse(text)
    return isObject(event) && textOf(event.run) !== undefined ? (event as RunEvent) : undefined
  } catch {
    return undefined
  }
}

/** The run that stands for all that are related to a run. */
function rootOf(run: string, parents: Map<string, string>): string {
  let root = run
  for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root))
    root = next
  // The way is kept short, or a long chain of repeats would be walked again for each of them.
  if (run !== root) parents.set(run, root)
  return root
}
