import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../model/run-log.ts'
import { generateRun } from './generate.ts'

const RUN_EVENTS = 200
const WRITERS = 4
/** Runs that one writer has open at a time: their events lie in turn in its segment. */
const AT_A_TIME = 4

/** What was written. `bytes`: the lines with their line feeds. */
export type Written = { events: number; runs: number; bytes: number }

/** Fills the spool of a capture directory with runs of 200 events from four writers. */
export function writeSpool({ directory, events }: { directory: string; events: number }): Written {
  const spool = join(directory, 'spool')
  mkdirSync(spool, { recursive: true })
  const runs = Math.max(1, Math.round(events / RUN_EVENTS))
  let bytes = 0
  for (let writer = 0; writer < WRITERS; writer++) {
    const numbers = Array.from({ length: runs }, (_, run) => run).filter((run) => run % WRITERS === writer)
    if (numbers.length === 0) continue
    const file = openSync(join(spool, `bench-${writer}-1.jsonl`), 'w')
    for (let start = 0; start < numbers.length; start += AT_A_TIME) {
      bytes += writeLines(file, interleaved(numbers.slice(start, start + AT_A_TIME).map(run)))
    }
    closeSync(file)
  }
  return { events: runs * RUN_EVENTS, runs, bytes }
}

/** Writes a run-log file of runs of 200 events, one after the other; `first` is the number of the first of them. */
export function writeRunLog({
  path,
  runs,
  first = 0,
}: {
  path: string
  runs: number
  first?: number
}): Written {
  const file = openSync(path, 'w')
  let bytes = 0
  for (let number = 0; number < runs; number++) bytes += writeLines(file, run(first + number))
  closeSync(file)
  return { events: runs * RUN_EVENTS, runs, bytes }
}

function run(number: number): RunEvent[] {
  return generateRun({ run: `run-${String(number).padStart(6, '0')}`, events: RUN_EVENTS, seed: number + 1 })
}

function interleaved(runs: RunEvent[][]): RunEvent[] {
  return Array.from({ length: RUN_EVENTS }, (_, index) =>
    runs.flatMap((events) => events[index] ?? []),
  ).flat()
}

function writeLines(file: number, events: readonly RunEvent[]): number {
  return writeSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}
